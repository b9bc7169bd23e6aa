import CarillonCore
import CarillonLMDB

/// The part of the writer that commits the open transaction, and syncs the commit: on a helper thread while the writer
/// goes on, if that may be deferred, or at once.
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

    /// Notes a commit that was synced.
    ///
    /// - Parameter waiting: true to wait for the sync, false to take note of the commit only if the sync has ended.
    /// - Throws: if the commit could not be synced. Then it is unknown how much of the commit is on the disk.
    func endSync(waiting: Bool) throws(RegistryError) {
        guard let thread, thread.isUnderWay, waiting || thread.isDone else { return }
        rule.durableCommit = try thread.takeOutput()
    }

    /// Waits for the sync that is under way, if any, and ignores its result.
    func waitIfUnderWay() { thread?.waitIfUnderWay() }

    /// Commits a transaction. No sync is under way.
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

    /// Begins a record. Returns the number of the newest durable commit, which the record must have.
    func willAppend() -> UInt64 {
        rule.willAppend()
        return rule.durableCommit
    }

    /// Notes that the record that was begun is in the log.
    func recordAppended() { rule.recordAppended() }
}
