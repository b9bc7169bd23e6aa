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
    func syncMode(of open: OpenWriteTransaction?) -> CheckpointPolicy.SyncMode {
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

/// The rule that says which commits may be synced while the writer goes on.
///
/// After a power cut the newest commit of the database may not be whole. A start must know whether it may use it. So
/// each record of the log contains the number T of the newest commit that was durable when the record was written, and
/// the start compares the T of the last record with the number of the newest commit:
///
/// - T + 1: the commit may not be whole. The start drops it (a commit in doubt).
/// - Any other number: the start keeps the commit. So such a commit must be on the disk before the writer goes on.
///
/// So only the commit T + 1 may have a deferred sync.
struct DeferredSyncRule {
    /// The number of the newest durable commit; 0 if it is not known.
    var durableCommit: UInt64 = 0
    /// The number in the last record that was appended; nil if no record was appended since the log was made or
    /// emptied.
    private var durableCommitInLastRecord: UInt64?
    /// The number in the record that is being appended; nil if no record is.
    private var durableCommitInNextRecord: UInt64?

    /// Begins to append the next record, which has the number of the newest durable commit.
    mutating func willAppend() { durableCommitInNextRecord = durableCommit }

    /// Notes that the record that was being appended is in the log.
    mutating func recordAppended() {
        durableCommitInLastRecord = durableCommitInNextRecord
        durableCommitInNextRecord = nil
    }

    /// Allows no commit a deferred sync until the next record is in the log.
    mutating func forbidDeferredSync() { durableCommitInLastRecord = nil }

    /// Returns true if the commit with a number may have a deferred sync.
    func mayDeferSync(of commit: UInt64) -> Bool {
        guard let last = durableCommitInLastRecord, last > 0 else { return false }
        // After a power cut the last record of the log may be the appended one or the one before.
        guard durableCommitInNextRecord == nil || durableCommitInNextRecord == last else { return false }
        return commit == last + 1
    }
}
