import CarillonCore
import CarillonLMDB
import Synchronization

/// The open transaction: commit and rollback.
extension Writer {
    /// The transaction that is open, or a new one.
    func openTransaction() throws -> OpenWriteTransaction {
        if let open { return open }
        let begun = try OpenWriteTransaction(environment)
        open = begun
        return begun
    }

    /// Commits the changes that were applied since the last commit.
    func commit() throws {
        guard open != nil else { return }
        let wasLogged = wal.byteCount > 0
        // Each commit leads to another state: a record of the log that follows this one fits no other database.
        commits += 1
        let state = UUIDBytes(high: commitSeries, low: commits)
        try commit(reaching: WALPosition(lsn: wal.lastLSN, state: state))
        checkpointed(state)
        if try wasLogged && !wal.isInPlace { try replaceLog() }
    }

    /// Commits the changes that were applied, up to a position in the write-ahead log.
    func commit(reaching position: WALPosition) throws {
        guard let open else { return }
        try context.flush(in: &open.transaction)
        try layout.meta.putWALPosition(position, in: &open.transaction)
        try open.commit()
        self.open = nil
        newestEvent = context.committed() ?? newestEvent
    }

    /// The database contains everything that was answered.
    func checkpointed(_ state: UUIDBytes) {
        wal.checkpointed(state)
        policy.checkpointed()
        queue.chunks.store(context.ids.chunks, ordering: .relaxed)
        gate.open()
    }

    /// Commits the changes that only the write-ahead log has, if there are any.
    func checkpoint(at uptime: UInt64) throws(Fatal) {
        // Before the readers that wait are admitted: they have waited.
        if gate.clearReaders() { policy.otherWorkSeen(at: uptime) }
        do {
            try commit()
        } catch {
            let failure = self.failure(error)
            guard !failure.isFatal else { throw Fatal(error: failure.error) }
            do throws(Failure) {
                try rollBack()
            } catch {
                throw Fatal(error: error.error)
            }
        }
    }

    /// Aborts the changes since the last commit, and commits those of them that the write-ahead log has: they were
    /// answered.
    func rollBack() throws(Failure) {
        discardTransaction()
        if wal.byteCount > 0 { try replay() }
    }

    /// Aborts the open transaction; caches are read again.
    func discardTransaction() {
        open?.abort()
        open = nil
        context.aborted()
    }

    /// Doubles the map; false if it has reached its limit.
    ///
    /// - Parameter hasOverdraft: true for changes that are answered already, or make room: the map may then grow beyond
    ///   its limit by a bounded number of bytes.
    func growMap(hasOverdraft: Bool) throws(Failure) -> Bool {
        let (most, overflows) = options.maximumMapBytes.addingReportingOverflow(options.overdraftBytes)
        do {
            return try environment.growMap(upTo: hasOverdraft && !overflows ? most : options.maximumMapBytes)
        } catch {
            throw Failure(error: failure(error).error, isFatal: true)
        }
    }

    /// Classifies an error: of one submission, of the space, or of the disk.
    func failure(_ error: any Error) -> Failure {
        if let error = error as? Failure { return error }
        if let error = error as? RegistryError {
            if case .storageFailed = error { return Failure(error: error, isFatal: true) }
            return Failure(error: error, isFatal: false)
        }
        guard let error = error as? LMDBError else {
            return Failure(error: .storageFailed("an unknown error"), isFatal: true)
        }
        switch error.code {
        case .mapFull: return Failure(error: .storageFull, isFatal: false)
        case .transactionFull: return Failure(error: .overloaded, isFatal: false)
        case .corrupted, .pageNotFound: return Failure(error: .corrupted(error.description), isFatal: false)
        case .inputOutput, .noSpace:
            return Failure(error: .storageFailed(error.description + SpaceGauge.hint(environment)), isFatal: true)
        default: return Failure(error: .storageFailed(error.description), isFatal: true)
        }
    }
}
