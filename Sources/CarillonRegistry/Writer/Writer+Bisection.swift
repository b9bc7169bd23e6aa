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

    /// A change of the write-ahead log, and the position that is reached with it.
    struct LoggedChange {
        let change: Change
        let position: WALPosition
    }

    /// Stores the changes of the write-ahead log, after they could not be stored together, but for the changes that
    /// meet a corrupt row; reports how many these are. They were answered before the row was read.
    ///
    /// Each commit stores the position that it has reached: if the process ends in the middle, no change is applied
    /// twice.
    func replayHalves() throws {
        let changes = try loggedChanges()
        var lost: (count: Int, reason: String) = (0, "")
        try storeHalves(changes[...], &lost)
        // Before any read can miss them.
        if lost.count > 0 {
            options.onUnreadable("\(lost.count) changes that were answered could not be stored: \(lost.reason)")
        }
        guard let end = changes.last?.position else { return }
        _ = try openTransaction()
        try commit(reaching: end)
        if let state = end.state { checkpointed(state) }
    }

    /// The changes of the log beyond the last commit.
    func loggedChanges() throws -> [LoggedChange] {
        var position = try storedPosition()
        var found: [LoggedChange] = []
        try wal.replay(after: position) { record in
            let changes = try ChangeRecordCodec.changes(in: record.frames)
            for (index, change) in changes.enumerated().dropFirst(position.skipped) {
                if index == changes.count - 1 {
                    position = WALPosition(lsn: record.lsn, state: record.state)
                } else {
                    position.changes = UInt32(index + 1)
                }
                found.append(LoggedChange(change: change, position: position))
            }
        }
        return found
    }

    /// Stores changes in one transaction; if that fails, each half in its own transaction, and so on.
    func storeHalves(_ changes: ArraySlice<LoggedChange>, _ lost: inout (count: Int, reason: String)) throws {
        guard let last = changes.last else { return }
        do {
            let open = try openTransaction()
            for logged in changes { _ = try applier.apply(logged.change, in: &open.transaction) }
            try commit(reaching: last.position)
        } catch {
            discardTransaction()
            if LMDBError.Code.mapFull ~= error, try growMap(hasOverdraft: true) {
                return try storeHalves(changes, &lost)
            }
            guard case .corrupted(let reason) = error as? RegistryError else { throw error }
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
