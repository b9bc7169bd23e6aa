import CarillonClock
import CarillonCore
import CarillonLMDB

/// Short reads, which the writer runs in its open transaction between two slices of a batch.
extension Writer {
    /// True if reads wait and it is time for their next turn.
    var isTimeForReads: Bool { queue.hasReads && readTurns.isDue }

    /// Runs one turn of the reads that wait, on what is applied.
    ///
    /// - Throws: what writing the caches throws; the reads still wait then.
    func serveReads() throws {
        guard queue.hasReads else { return }
        let reads = queue.takeReads()
        defer { readTurns.end() }
        guard let uncommitted else { return serve(reads) }
        let end = readTurns.begin()
        var served = 0
        // What is not served waits for the next turn.
        defer { if served < reads.count { queue.putBack(reads[served...]) } }
        while served < reads.count {
            let read = reads[served]
            try context.flush(for: read.needs, in: &uncommitted.transaction)
            uncommitted.transaction.withSnapshot { snapshot in read.run(snapshot, layout, context.knownDevice) }
            served += 1
            if Clock.uptimeNanoseconds() >= end { return }
        }
    }

    /// What the checkpoint policy is to know of reads.
    var reads: CheckpointPolicy.Reads {
        CheckpointPolicy.Reads(areWaiting: readGate.hasReaders, wereRun: uncommitted != nil && readTurns.hasRunReads)
    }

    /// Runs the reads that wait between two batches.
    func serveReadsAlone() throws(Failure) {
        do {
            try serveReads()
        } catch {
            try rollBackAndReplay(after: error)
            serve(queue.takeReads())
        }
    }

    /// Runs reads when everything is committed.
    func serve(_ reads: [WriterRead]) {
        guard !reads.isEmpty else { return }
        do {
            try environment.read { snapshot in for read in reads { read.run(snapshot, layout, { _, _ in nil }) } }
        } catch {
            for read in reads { read.fail(RegistryError(reading: error)) }
        }
    }
}
