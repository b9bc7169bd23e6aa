import CarillonCore
import CarillonLMDB

/// The write-ahead log in the life of the writer: ready at the start, replayed after a crash or a rollback, made again
/// if it has gone, and empty at the end.
extension Writer {
    // MARK: Start and end

    /// Makes the log ready, and stores that the database relies on it from now on: a start without it is refused.
    func attachLog() throws(Failure) {
        do {
            guard options.wal.leastChanges < .max else { return try storeLog(nil) }
            try wal.prepare()
            try storeLog(wal.secret)
        } catch {
            throw Failure(error: failure(error).error, isFatal: true)
        }
    }

    /// Stores that the database contains everything, and no longer relies on the log. Everything is committed.
    func detachLog() throws(Failure) {
        do {
            try storeLog(nil)
            try wal.removeRecords()
        } catch {
            throw Failure(error: failure(error).error, isFatal: true)
        }
    }

    private func storeLog(_ secret: UInt64?) throws {
        let stored = try environment.read { try layout.meta.storedWAL(in: $0) }
        guard stored.log != secret else { return }
        let open = try openTransaction()
        try layout.meta.putLog(secret, in: &open.transaction)
        try commit()
    }

    // MARK: A log that has gone

    /// Commits everything, because a record that was just written is in a file that no start will find.
    func commitWithoutLog(_ answers: [Submission.Answer]) throws(Failure) -> [Submission.Answer] {
        do {
            try commit()
        } catch {
            let failure = self.failure(error)
            if failure.isFatal { throw failure }
            // The file is still open, and has the changes of this batch as well.
            try rollBack()
            try replaceLog()
        }
        return answers
    }

    /// Makes the log again after it was removed, moved or replaced. Everything is committed.
    func replaceLog() throws(Failure) {
        do throws(RegistryError) {
            try wal.makeAgain()
        } catch {
            throw Failure(error: error, isFatal: true)
        }
        options.onWALNotice(.replaced)
    }

    // MARK: Replay

    /// Commits the changes of the write-ahead log beyond the last commit, in as many transactions as memory allows; a
    /// full map grows while it may, also beyond its limit: the changes were answered.
    func replay() throws(Failure) {
        do {
            let found = try wal.check(after: try storedPosition())
            while true {
                do {
                    try applyLog()
                    break
                } catch {
                    discardTransaction()
                    if LMDBError.Code.mapFull ~= error, try growMap(hasOverdraft: true) { continue }
                    guard case .corrupted = error as? RegistryError else { throw error }
                    try replayHalves()
                    break
                }
            }
            if let found { report(found) }
        } catch {
            discardTransaction()
            throw fatal(error)
        }
    }

    private func report(_ scan: WALScan) {
        if scan.records > 0 {
            options.onWALNotice(
                .replayed(records: scan.records, changes: scan.changes, lastLSN: scan.lastLSN))
        }
        if scan.isTorn { options.onWALNotice(.dropped(lsn: scan.lastLSN + 1)) }
    }

    /// Why the log could not be applied.
    private func fatal(_ error: any Error) -> Failure {
        let failure = self.failure(error)
        switch failure.error {
        case .storageFull:
            let text =
                "the database has no room for changes that were answered and are in the write-ahead log: raise "
                + "data.limitMebibytes and start again"
            return Failure(error: .storageFailed(text), isFatal: true)
        case .corrupted(let reason) where error is LMDBError:
            let text =
                "\(reason). Changes that were answered cannot be stored; they stay in the write-ahead log. Restore a "
                + "backup"
            return Failure(error: .corrupted(text), isFatal: true)
        default: return Failure(error: failure.error, isFatal: true)
        }
    }

    func storedPosition() throws -> WALPosition {
        try environment.read { try layout.meta.storedWAL(in: $0).position }
    }

    /// Applies the records beyond the last commit, and commits them: when many pages have changed, and at the end.
    private func applyLog() throws {
        let stored = try storedPosition()
        var position = stored
        try wal.replay(after: stored) { record in
            let changes = try ChangeRecordCodec.changes(in: record.frames)
            let open = try openTransaction()
            for change in changes.dropFirst(position.skipped) { _ = try applier.apply(change, in: &open.transaction) }
            position = WALPosition(lsn: record.lsn, state: record.state)
            if try context.isFull || open.transaction.changedPages() > options.wal.mostPages {
                try commit(reaching: position)
            }
        }
        try commit(reaching: position)
        if let state = position.state { checkpointed(state) }
    }
}

extension WALPosition {
    /// Changes of the next record that are not to be applied again.
    var skipped: Int { Int(changes) }
}
