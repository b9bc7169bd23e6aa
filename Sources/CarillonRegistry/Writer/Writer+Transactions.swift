import CarillonCore
import CarillonLMDB
import Synchronization

/// The open transaction: commit, rollback and replay of the write-ahead log.
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
        guard let open else { return }
        try context.flush(in: &open.transaction)
        if wal.byteCount > 0 {
            try layout.meta.putLastLSN(wal.lastLSN, in: &open.transaction)
        }
        try open.commit()
        self.open = nil
        wal.checkpointed()
        policy.checkpointed()
        newestEvent = context.committed() ?? newestEvent
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

    /// Commits the changes of the write-ahead log beyond the last commit; a full map grows while it may.
    func replay() throws(Failure) {
        while true {
            do {
                let storedLSN = try environment.read { try layout.meta.lastLSN(in: $0) }
                try wal.replay(after: storedLSN) { changes in
                    let open = try openTransaction()
                    for change in changes { _ = try applier.apply(change, in: &open.transaction) }
                }
                return try commit()
            } catch {
                discardTransaction()
                if LMDBError.Code.mapFull ~= error, try growMap() { continue }
                let failure = Self.failure(error)
                if case .corrupted = failure.error { return try replayHalves() }
                throw Failure(error: failure.error, isFatal: true)
            }
        }
    }

    /// Aborts the open transaction; caches are read again.
    func discardTransaction() {
        open?.abort()
        open = nil
        context.aborted()
    }

    /// Doubles the map; false if it has reached its limit.
    func growMap() throws(Failure) -> Bool {
        do {
            return try environment.growMap(upTo: options.maximumMapBytes)
        } catch {
            throw Failure(error: Self.failure(error).error, isFatal: true)
        }
    }

    /// Classifies an error: of one submission, of the space, or of the disk.
    static func failure(_ error: any Error) -> Failure {
        if let error = error as? RegistryError { return Failure(error: error, isFatal: false) }
        guard let error = error as? LMDBError else {
            return Failure(error: .storageFailed("an unknown error"), isFatal: true)
        }
        switch error.code {
        case .mapFull: return Failure(error: .storageFull, isFatal: false)
        case .transactionFull: return Failure(error: .overloaded, isFatal: false)
        case .corrupted, .pageNotFound: return Failure(error: .corrupted(error.description), isFatal: false)
        default: return Failure(error: .storageFailed(error.description), isFatal: true)
        }
    }
}
