import CarillonCore
import CarillonLMDB

/// Splits the changes of a transaction that has failed: each half gets its own transaction, and so on. So a change that
/// fails fails alone, and costs the others a few commits instead of one commit each.
extension Writer {
    /// Writes each half of `admitted` in its own transaction, after one transaction for all of them has failed with
    /// `error`.
    func writeHalves(
        _ admitted: ArraySlice<Int>,
        _ error: RegistryError,
        of batch: [Submission],
        into results: inout [SubmissionResult?]
    ) throws(Fatal) {
        if admitted.count == 1, let index = admitted.first {
            if case .sweep = batch[index].work, context.hasSkippedAnotherItem {
                // The other rows that are past their retention do not wait for an operator.
                results[index] = .success(.swept(hasMore: true))
            } else {
                results[index] = .failure(error)
            }
            return
        }
        let middle = admitted.startIndex + admitted.count / 2
        for half in [admitted[..<middle], admitted[middle...]] {
            do throws(Failure) {
                for (index, answer) in zip(half, try applyAndCommit(half, of: batch)) {
                    results[index] = .success(answer)
                }
            } catch {
                if error.isFatal { throw Fatal(error: error.error, results: results) }
                try writeHalves(half, error.error, of: batch, into: &results)
            }
        }
    }

    /// Stores the changes of the write-ahead log, after they could not be stored together, but for the changes that
    /// meet a corrupt row; reports how many these are. They were answered before the row was read.
    ///
    /// If the process ends in the middle, the next start begins again, with changes that are stored already: each has
    /// the same effect again.
    func replayHalves() throws(Failure) {
        do {
            var changes: [Change] = []
            let storedLSN = try environment.read { try layout.meta.lastLSN(in: $0) }
            try wal.replay(after: storedLSN) { changes += $0 }
            var lost: (count: Int, reason: String) = (0, "")
            try storeHalves(changes[...], &lost)
            // Before any read can miss them.
            if lost.count > 0 {
                options.onUnreadable("\(lost.count) changes that were answered could not be stored: \(lost.reason)")
            }
            _ = try openTransaction()
            try commit()
        } catch {
            open?.abort()
            open = nil
            throw Failure(error: Self.failure(error).error, isFatal: true)
        }
    }

    /// Stores changes in one transaction; if that fails, each half in its own transaction, and so on.
    private func storeHalves(_ changes: ArraySlice<Change>, _ lost: inout (count: Int, reason: String)) throws {
        do {
            let open = try openTransaction()
            for change in changes { _ = try applier.apply(change, in: &open.transaction) }
            try context.flush(in: &open.transaction)
            try open.commit()
            self.open = nil
            newestEvent = context.committed() ?? newestEvent
        } catch {
            discardTransaction()
            if LMDBError.Code.mapFull ~= error, try growMap() { return try storeHalves(changes, &lost) }
            let failure = Self.failure(error)
            guard case .corrupted(let reason) = failure.error else { throw failure.error }
            guard changes.count > 1 else {
                lost = (lost.count + 1, reason)
                return
            }
            let middle = changes.startIndex + changes.count / 2
            try storeHalves(changes[..<middle], &lost)
            try storeHalves(changes[middle...], &lost)
        }
    }
}
