import CarillonCore
import CarillonLMDB

/// Commits the open transaction, and syncs the commit: on a helper thread while the writer goes on, if that may be
/// deferred, or at once.
///
/// It belongs to the writer thread.
final class CommitSyncer {
    private let environment: LMDBEnvironment
    private var rule = DeferredSyncRule()
    /// The helper thread; nil without a log, and before the writer runs. Without it each commit waits for the disk.
    private var thread: HelperThread<UInt64, UInt64>?

    init(_ environment: LMDBEnvironment) {
        self.environment = environment
    }

    func start(_ queue: WriteQueue) throws(RegistryError) {
        let environment = environment
        thread = try HelperThread(named: "sync", .sync, of: queue) { number in
            do throws(LMDBError) {
                try environment.sync()
                return .success(number)
            } catch {
                return .failure(.storageFailed(error.description + SpaceMonitor.fullDiskNote(of: environment)))
            }
        }
    }

    /// Ends the helper thread, if it was started.
    func stop() { thread?.stop() }

    /// True while a commit is being synced by the helper thread.
    var isUnderWay: Bool { thread?.isUnderWay ?? false }

    /// Records that the last commit is on the disk, if the helper thread has synced it.
    ///
    /// - Throws: if the commit could not be synced. Then it is unknown how much of the commit is on the disk.
    func endSyncIfDone() throws(RegistryError) {
        guard let thread, thread.isUnderWay, thread.isDone else { return }
        try awaitSync()
    }

    /// Waits until the last commit is on the disk, if the helper thread is syncing it.
    ///
    /// - Throws: as ``endSyncIfDone()``.
    func awaitSync() throws(RegistryError) {
        guard let thread, thread.isUnderWay else { return }
        rule.durableCommit = try thread.takeOutput()
    }

    /// Waits for the helper thread if it is syncing a commit, and ignores the result.
    func waitIfUnderWay() { thread?.waitIfUnderWay() }

    /// Commits a transaction. `endSyncIfDone` or `awaitSync` must have ended the sync of the commit before.
    func commit(_ open: OpenWriteTransaction) throws {
        let number = open.transaction.number
        guard let thread else { return try open.commit() }
        let defersSync = rule.mayDeferSync(of: number)
        try environment.setSyncsCommits(!defersSync)
        try open.commit()
        if defersSync { thread.begin(number) } else { rule.durableCommit = number }
    }

    /// Returns the way in which the commit of a transaction would reach the disk now.
    ///
    /// - Parameter open: the transaction; nil if none is open.
    func syncMode(of open: OpenWriteTransaction?) -> CheckpointRule.SyncMode {
        if isUnderWay { return .underWay }
        // Without a thread that syncs, waiting for the next record would not help.
        guard thread != nil, let open, !rule.mayDeferSync(of: open.transaction.number) else { return .later }
        return .atOnce
    }

    /// Makes commits wait for the disk until the next record is in the log.
    func forbidDeferredSync() { rule.forbidDeferredSync() }

    /// Called before a record is appended. Returns the number of the newest durable commit, which the record must have.
    func recordBegan() -> UInt64 {
        rule.recordBegan()
        return rule.durableCommit
    }

    /// Called when the record that was begun is in the log.
    func recordAppended() { rule.recordAppended() }
}
