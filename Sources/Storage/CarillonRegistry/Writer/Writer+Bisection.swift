import CarillonCore
import CarillonLMDB

/// Bisects the mutations of the log after they could not be applied together: each half gets its own transaction, and
/// so on. So a mutation that fails fails alone, and the others need few commits.
///
/// For example, one of 1,024 mutations fails. In each step one half is stored, and the other half has the fault: 512
/// mutations are stored, then 256, and so on. After ten commits 1,023 mutations are stored.
extension Writer {
    /// A mutation of the write-ahead log.
    struct LoggedMutation {
        let mutation: Mutation
        /// The LSN of the record that the mutation belongs to.
        let lsn: UInt64
        /// The position that the log reaches with the mutation.
        let position: WALPosition
        /// True if the client may know that the mutation was applied.
        var isAnswered = true
    }

    /// Applies the mutations of the write-ahead log, and leaves out mutations that cannot be applied.
    ///
    /// Each commit stores the position that it has reached: if the process ends in the middle, no mutation is applied
    /// twice.
    ///
    /// - Parameter firstUnansweredLSN: the LSN of the first record whose mutations are not answered yet.
    /// - Returns: the results of the mutations of the unanswered records that were not stored already, by LSN.
    func applyByBisection(firstUnansweredLSN: UInt64) throws -> [UInt64: [SubmissionResult]] {
        var mutations = try loggedMutations()
        for index in mutations.indices { mutations[index].isAnswered = mutations[index].lsn < firstUnansweredLSN }
        var results: [SubmissionResult] = []
        try storeByBisection(mutations[...], into: &results)
        if let end = mutations.last?.position {
            // If the last mutations failed, no commit has stored the position after them yet.
            _ = try currentTransaction()
            try commit(reaching: end)
            finishCheckpoint()
        }
        report(results.prefix(mutations.count { $0.isAnswered }))
        var byRecord: [UInt64: [SubmissionResult]] = [:]
        for (mutation, result) in zip(mutations, results) where !mutation.isAnswered {
            byRecord[mutation.lsn, default: []].append(result)
        }
        return byRecord
    }

    /// Reports mutations that were answered with success and can no longer be applied.
    private func report(_ results: ArraySlice<SubmissionResult>) {
        let reasons = results.compactMap { result -> String? in
            guard case .failure(let error) = result else { return nil }
            if case .corrupted(let reason) = error { return reason }
            return "\(error)"
        }
        guard let reason = reasons.last else { return }
        options.onUnreadable("\(reasons.count) changes that were answered could not be stored: \(reason)")
    }

    /// Reads the mutations of the log beyond the last commit.
    func loggedMutations() throws -> [LoggedMutation] {
        var position = try storedPosition()
        var found: [LoggedMutation] = []
        try wal.replay(after: position) { record in
            let mutations = try ChangeRecordCodec.mutations(in: record.frames)
            for (index, mutation) in mutations.enumerated().dropFirst(Int(position.storedMutations)) {
                if index == mutations.count - 1 {
                    position = WALPosition(lsn: record.lsn, state: record.state)
                } else {
                    position.storedMutations = UInt32(index + 1)
                }
                found.append(LoggedMutation(mutation: mutation, lsn: record.lsn, position: position))
            }
        }
        return found
    }

    /// Stores mutations in one transaction; if that fails, each half in its own transaction, and so on.
    func storeByBisection(_ mutations: ArraySlice<LoggedMutation>, into results: inout [SubmissionResult]) throws {
        guard let last = mutations.last else { return }
        do {
            results += try withGrowingMap {
                let uncommitted = try currentTransaction()
                var results: [SubmissionResult] = []
                for logged in mutations {
                    results.append(.success(try applier.apply(logged.mutation, in: &uncommitted.transaction)))
                }
                try commit(reaching: last.position)
                return results
            }
        } catch {
            let failure = writerError(for: error)
            // A full map is not the fault of one mutation: the changes wait for an operator.
            if failure.isFatal || failure.error == .storageFull { throw error }
            guard mutations.count > 1 else {
                // A damaged page makes any number of mutations fail, a corrupt row only one.
                if last.isAnswered, LMDBError.Code.corrupted ~= error || LMDBError.Code.pageNotFound ~= error {
                    throw error
                }
                if case .sweep = last.mutation, context.unreadable.hasNewItemOfSweep {
                    // The sweep goes on with other rows: they need not wait for an operator.
                    results.append(.success(.swept(.incomplete)))
                } else {
                    results.append(.failure(failure.error))
                }
                return
            }
            let middle = mutations.startIndex + mutations.count / 2
            try storeByBisection(mutations[..<middle], into: &results)
            try storeByBisection(mutations[middle...], into: &results)
        }
    }
}
