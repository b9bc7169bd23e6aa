import CarillonCore
import CarillonLMDB

/// How commits reach the disk: a thread syncs each while the writer goes on, and the log can do without it until then.
extension Writer {
    /// Starts the thread that syncs commits.
    func startSyncer() throws {
        let environment = environment
        syncer = try HelperThread(.sync, of: queue) { number in
            do throws(LMDBError) {
                try environment.sync()
                return .success(number)
            } catch {
                return .failure(.storageFailed(error.description + SpaceMonitor.hint(environment)))
            }
        }
    }

    /// True while a commit is being synced.
    var isSyncing: Bool { syncer?.isUnderWay ?? false }

    /// Takes note of a commit that was synced.
    ///
    /// - Parameter waiting: true to wait for it, false to do so only if it has ended.
    /// - Throws: if it could not be: what the disk has of it is unknown.
    func endSync(waiting: Bool) throws(Failure) {
        guard isSyncing, let syncer, waiting || syncer.isDone else { return }
        do throws(RegistryError) {
            commits.durable = try syncer.end()
        } catch {
            throw Failure(error: error, isFatal: true)
        }
    }

    /// How the next commit reaches the disk.
    var nextSync: CheckpointPolicy.Sync {
        if isSyncing { return .underWay }
        // Without a thread that syncs, waiting for the next record would not help.
        guard syncer != nil, let open, !commits.mayBeSyncedLater(open.transaction.number) else { return .later }
        return .atOnce
    }

    /// Makes the newest commit contain everything and be on the disk, so that a start goes on from it whatever the
    /// records of the log say: they may be removed then.
    func settle() throws {
        try commit()
        try endSync(waiting: true)
        commits.forbidDeferral()
        // Why: a start compares the numbers of commits. This one has no changes and is two behind the last record.
        _ = try openTransaction()
        try commit()
    }

    /// Removes the records of the log, all of which are committed.
    func removeRecords() throws {
        guard try wal.hasRecords else { return }
        try settle()
        try wal.removeRecords()
    }
}

/// Which commits of the database are on the disk, and what the last record of the log says about it.
///
/// A start after a power cut finds the number T of a durable commit in the last record. If the newest commit has the
/// number T + 1, it may not be on the disk, and the start goes on from T. If it has a higher one, it waited for the disk.
/// So only the commit T + 1 may be synced later.
struct CommitNumbers {
    /// The number of the newest commit that is on the disk; 0 if it is not known.
    var durable: UInt64 = 0
    /// The number in the last record that was appended; nil if there is none, or the log does not count.
    private var named: UInt64?
    /// The number in the record that is being appended.
    private var beingNamed: UInt64?

    /// The next record is being appended, with the number of the newest durable commit.
    mutating func willAppend() { beingNamed = durable }

    /// It was appended.
    mutating func appended() {
        named = beingNamed
        beingNamed = nil
    }

    /// No commit is synced later until the next record was appended.
    mutating func forbidDeferral() { named = nil }

    /// Returns true if a start can tell whether the commit with a number is on the disk.
    func mayBeSyncedLater(_ number: UInt64) -> Bool {
        guard let named, beingNamed == nil || beingNamed == named else { return false }
        return named > 0 && number == named + 1
    }
}
