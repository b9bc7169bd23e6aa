import CarillonClock
import CarillonCore
import CarillonLMDB

/// The short reads, which the writer runs in its open transaction between two slices of a batch.
extension Writer {
    /// True if reads wait and it is time for their next turn.
    var areReadsDue: Bool { queue.hasReads && readTurns.isDue }

    /// Runs waiting reads in the open transaction until their turn is over; the rest waits for the next turn.
    ///
    /// - Throws: the error of writing the caches. The reads then still wait.
    func serveReads() throws(WriterError) {
        guard queue.hasReads else { return }
        readTurns.begin()
        defer { readTurns.end() }
        guard let uncommitted else { return serveCommitted() }
        while let read = queue.takeRead() {
            do {
                try context.flush(for: read.needs, in: &uncommitted.transaction)
            } catch {
                if !queue.append(read) { read.fail(RegistryError(reading: error)) }
                throw writerError(for: error)
            }
            uncommitted.transaction.withSnapshot { snapshot in
                read.run(snapshot, tables, context.tokenIndex.deviceInMemory)
            }
            if readTurns.isTurnOver { return }
        }
    }

    /// Runs one turn of the reads that wait, when everything is committed.
    private func serveCommitted() {
        do {
            try environment.read { snapshot in
                while let read = queue.takeRead() {
                    read.run(snapshot, tables, { _, _ in nil })
                    if readTurns.isTurnOver { return }
                }
            }
        } catch {
            for read in queue.takeReads() { read.fail(RegistryError(reading: error)) }
        }
    }

    /// Runs the reads that wait between two batches.
    func serveReadsAlone() throws(WriterError) {
        do {
            try serveReads()
        } catch {
            // After the replay everything is committed. The reads wait for the next turn.
            try rollBackAndReplay(after: error)
        }
    }

    /// Runs the last reads, when everything is committed.
    func serve(_ reads: [WriterRead]) {
        guard !reads.isEmpty else { return }
        do {
            try environment.read { snapshot in for read in reads { read.run(snapshot, tables, { _, _ in nil }) } }
        } catch {
            for read in reads { read.fail(RegistryError(reading: error)) }
        }
    }
}

/// The turns in which the writer runs the short reads that wait.
///
/// Reads take turns with changes by time: two milliseconds of reads after each millisecond of changes. A number of
/// reads would say little, because one takes from a few microseconds to half a millisecond.
struct ReadTurns {
    /// The nanoseconds of applying between two turns of reads. With shorter intervals, answers would be sent in smaller
    /// pieces.
    private static let intervalNanoseconds: UInt64 = 1_000_000
    /// The nanoseconds of a turn. A read that has begun before its end is finished first, so a turn takes a little
    /// longer.
    private static let turnNanoseconds: UInt64 = 2_000_000

    /// The nanoseconds of `CLOCK_MONOTONIC` at which the present turn must end.
    private var dueEndNanoseconds: UInt64 = 0
    /// The nanoseconds of `CLOCK_MONOTONIC` at which the last turn ended.
    private var endedAtNanoseconds: UInt64 = 0

    /// True if it is time for the next turn.
    var isDue: Bool { Clock.uptimeNanoseconds() - endedAtNanoseconds >= Self.intervalNanoseconds }

    mutating func begin() { dueEndNanoseconds = Clock.uptimeNanoseconds() + Self.turnNanoseconds }

    /// True if the time of the present turn is over: the reads that still wait get the next turn.
    var isTurnOver: Bool { Clock.uptimeNanoseconds() >= dueEndNanoseconds }

    mutating func end() { endedAtNanoseconds = Clock.uptimeNanoseconds() }
}
