import CarillonCore
import CarillonLMDB

/// The short reads, which the writer runs in its open transaction between two slices of a batch.
extension Writer {
    /// True if reads wait and it is time for their next turn.
    var areReadsDue: Bool { queue.hasReads && readTurns.isDue }

    /// Runs waiting reads in the open transaction until their turn is over; the rest waits for the next turn.
    ///
    /// - Throws: the error of writing the caches; the reads still wait then.
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
                throw failure(error)
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
            // Everything is committed then; the reads wait for the next turn.
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
