import CarillonCore
import CarillonLMDB

/// The write-ahead log in the life of the writer: ready at the start, replayed after a crash or a rollback, replaced if
/// its file is lost, and empty at the end.
extension Writer {
    // MARK: Start and end

    /// Makes the log ready, and stores that the database relies on it from now on: a start without it is refused.
    /// Without a log, stores that it relies on none.
    func attachLog() throws(WriterError) {
        do {
            // A commit may have been dropped before this start.
            let isAfterACrash = try wal.hasRecords
            guard options.usesLog else { return try storeLogSecret(nil, isAfterACrash: isAfterACrash) }
            if isAfterACrash { try commitDurablyTwice() }
            try wal.prepare()
            try storeLogSecret(wal.secret, isAfterACrash: isAfterACrash)
        } catch {
            throw fatal(error)
        }
    }

    /// Stores that the database contains everything, and no longer relies on the log. Everything must be committed.
    func detachLog() throws(WriterError) {
        do {
            try storeLogSecret(nil)
            try removeRecords()
        } catch {
            throw fatal(error)
        }
    }

    /// Stores the secret of the log on which the database relies, nil for none. Counts the start if there is a log, or
    /// after a crash.
    private func storeLogSecret(_ secret: UInt64?, isAfterACrash: Bool = false) throws {
        let stored = try environment.read { try tables.meta.storedWAL(in: $0) }
        guard stored.secret != secret || isAfterACrash else { return }
        let uncommitted = try currentTransaction()
        try tables.meta.putLogSecret(secret, in: &uncommitted.transaction)
        if secret != nil || isAfterACrash { try tables.meta.countStart(in: &uncommitted.transaction) }
        try commit()
    }

    // MARK: A lost file

    /// Stores everything that is applied, and replaces the file of the log by a new one: the last record was written to
    /// a file that no start will find. The changes of that record are not applied.
    func replaceLostLog() throws(WriterError) {
        do {
            try commitDurablyTwice()
            try wal.replaceLostFile()
        } catch {
            // The changes before the record cannot be read again, because they are in the file that is lost.
            throw fatal(error)
        }
        options.onWALNotice(.replaced)
    }

    // MARK: Replay

    /// Applies the records of the write-ahead log beyond the last commit, and commits them, in several transactions if
    /// they change many pages. A full map grows, also beyond its limit, because the changes were answered.
    ///
    /// A mutation that meets a corrupt row has no effect, and does not keep the others from the disk.
    ///
    /// - Parameter firstUnansweredLSN: the LSN of the first record whose mutations are not answered yet; nil if all are
    ///   answered.
    /// - Returns: the results of unanswered mutations by the LSN of their record, without those of mutations that a
    ///   commit had stored before.
    /// - Throws: an error if the disk fails, and also if an answered mutation meets a damaged page, because any number
    ///   of mutations would be lost.
    func replay(firstUnansweredLSN: UInt64?) throws(WriterError) -> [UInt64: [SubmissionResult]] {
        let areAllAnswered = firstUnansweredLSN == nil
        let firstUnansweredLSN = firstUnansweredLSN ?? .max
        do {
            let found = try wal.findMissingRecords(after: try storedPosition())
            let results: [UInt64: [SubmissionResult]]
            do {
                results = try withGrowingMap { try applyLog(firstUnansweredLSN: firstUnansweredLSN) }
            } catch {
                guard !writerError(for: error).isFatal else { throw error }
                results = try applyByBisection(firstUnansweredLSN: firstUnansweredLSN)
            }
            if let found, areAllAnswered { report(found) }
            return results
        } catch {
            abortTransaction()
            throw replayError(error)
        }
    }

    private func report(_ scan: WALScan) {
        if scan.recordCount > 0 {
            options.onWALNotice(
                .replayed(records: scan.recordCount, changes: scan.changeCount, lastLSN: scan.lastLSN))
        }
        if scan.isTorn { options.onWALNotice(.dropped(lsn: scan.lastLSN + 1)) }
    }

    /// Returns the error that says why the log could not be applied.
    private func replayError(_ error: any Error) -> WriterError {
        let failure = writerError(for: error)
        switch failure.error {
        case .storageFull:
            let text =
                "the database has no room for changes that were answered and are in the write-ahead log: raise "
                + "data.limitMebibytes and start again"
            return .fatal(.storageFailed(text))
        case .corrupted(let reason) where error is LMDBError:
            let text =
                "\(reason). Changes that were answered cannot be stored; they stay in the write-ahead log. Restore a "
                + "backup"
            return .fatal(.corrupted(text))
        default: return fatal(failure.error)
        }
    }

    /// Reads the position in the write-ahead log up to which the database contains all changes.
    func storedPosition() throws -> WALPosition {
        try environment.read { try tables.meta.storedWAL(in: $0).position }
    }

    /// Runs `body`, which ends with a commit; runs it again with a larger map for as long as the map is full and may
    /// grow.
    func withGrowingMap<R>(_ body: () throws -> R) throws -> R {
        while true {
            do {
                return try body()
            } catch {
                abortTransaction()
                guard LMDBError.Code.mapFull ~= error, try tryToGrowMap() else { throw error }
            }
        }
    }

    /// Applies the records beyond the last commit, and commits them: when many pages have changed, and at the end.
    private func applyLog(firstUnansweredLSN: UInt64) throws -> [UInt64: [SubmissionResult]] {
        let stored = try storedPosition()
        var position = stored
        var results: [UInt64: [SubmissionResult]] = [:]
        try wal.replay(after: stored) { record in
            let mutations = try ChangeRecordCodec.mutations(in: record.frames)
            let uncommitted = try currentTransaction()
            for mutation in mutations.dropFirst(Int(position.storedMutations)) {
                let answer = try applier.apply(mutation, in: &uncommitted.transaction)
                if record.lsn >= firstUnansweredLSN { results[record.lsn, default: []].append(.success(answer)) }
            }
            position = WALPosition(lsn: record.lsn, state: record.state)
            if try context.areCachesFull
                || uncommitted.transaction.changedPages() > options.checkpoints.changedDatabasePages
            {
                try commit(reaching: position)
            }
        }
        try commit(reaching: position)
        finishCheckpoint()
        return results
    }
}
