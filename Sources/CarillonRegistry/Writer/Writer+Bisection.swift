import CarillonCore
import CarillonLMDB

/// Splits the works of the log after they could not be applied together: each half gets its own transaction, and so on.
/// So a work that fails fails alone, and costs the others a few commits instead of one commit each.
extension Writer {
    /// A work of the write-ahead log.
    struct LoggedWork {
        let work: Submission.Work
        /// The record that it belongs to.
        let lsn: UInt64
        /// The position that is reached with it.
        let position: WALPosition
        /// True if its client knows that it was applied.
        var isAnswered = true
    }

    /// Applies the works of the write-ahead log, but for those that cannot be applied.
    ///
    /// Each commit stores the position that it has reached: if the process ends in the middle, no work is applied
    /// twice.
    ///
    /// - Parameter unanswered: the first record whose works are not answered yet.
    /// - Returns: the results of the works of the unanswered records that were not stored already, by LSN.
    func applyHalves(unanswered: UInt64) throws -> [UInt64: [SubmissionResult]] {
        var works = try loggedWorks()
        for index in works.indices { works[index].isAnswered = works[index].lsn < unanswered }
        var results: [SubmissionResult] = []
        try storeHalves(works[...], into: &results)
        if let end = works.last?.position {
            _ = try openTransaction()
            try commit(reaching: end)
            checkpointed()
        }
        report(results.prefix(works.count { $0.isAnswered }))
        var byRecord: [UInt64: [SubmissionResult]] = [:]
        for (work, result) in zip(works, results) where !work.isAnswered {
            byRecord[work.lsn, default: []].append(result)
        }
        return byRecord
    }

    /// Reports works that were answered with success and cannot be applied any more.
    private func report(_ results: ArraySlice<SubmissionResult>) {
        let reasons = results.compactMap { result -> String? in
            guard case .failure(let error) = result else { return nil }
            if case .corrupted(let reason) = error { return reason }
            return "\(error)"
        }
        guard let reason = reasons.last else { return }
        options.onUnreadable("\(reasons.count) changes that were answered could not be stored: \(reason)")
    }

    /// The works of the log beyond the last commit.
    func loggedWorks() throws -> [LoggedWork] {
        var position = try storedPosition()
        var found: [LoggedWork] = []
        try wal.replay(after: position) { record in
            let works = try ChangeRecordCodec.works(in: record.frames)
            for (index, work) in works.enumerated().dropFirst(position.skipped) {
                if index == works.count - 1 {
                    position = WALPosition(lsn: record.lsn, state: record.state)
                } else {
                    position.works = UInt32(index + 1)
                }
                found.append(LoggedWork(work: work, lsn: record.lsn, position: position))
            }
        }
        return found
    }

    /// Stores works in one transaction; if that fails, each half in its own transaction, and so on.
    func storeHalves(_ works: ArraySlice<LoggedWork>, into results: inout [SubmissionResult]) throws {
        guard let last = works.last else { return }
        do {
            results += try growing {
                let uncommitted = try openTransaction()
                var results: [SubmissionResult] = []
                for logged in works {
                    results.append(.success(try applier.apply(logged.work, in: &uncommitted.transaction)))
                }
                try commit(reaching: last.position)
                return results
            }
        } catch {
            let failure = self.failure(error)
            // A full map is not the fault of one work: the changes wait for an operator.
            if failure.isFatal || failure.error == .storageFull { throw error }
            guard works.count > 1 else {
                // A damaged page is met by any number of works, a corrupt row by one.
                if last.isAnswered, LMDBError.Code.corrupted ~= error || LMDBError.Code.pageNotFound ~= error {
                    throw error
                }
                if case .sweep = last.work, context.hasSkippedAnotherItem {
                    // The other rows that are past their retention do not wait for an operator.
                    results.append(.success(.swept(hasMore: true)))
                } else {
                    results.append(.failure(failure.error))
                }
                return
            }
            let middle = works.startIndex + works.count / 2
            try storeHalves(works[..<middle], into: &results)
            try storeHalves(works[middle...], into: &results)
        }
    }
}
