/// The rule that says which commits may be synced while the writer goes on.
///
/// After a power cut the newest commit of the database may not be whole, and a start must know whether to use it. Each
/// record of the log contains a number T: the newest commit that was durable when the record was written. A start
/// compares the T of the last record with the number of the newest commit:
///
/// - T + 1: the commit may not be whole, so the start drops it (a commit in doubt).
/// - Any other number: the start keeps the commit.
///
/// Therefore only the commit T + 1 may have a deferred sync. The writer waits until any other is on the disk.
///
/// For example, commit 40 is on the disk, and the next record has T = 40. Commit 41 may be synced while the writer goes
/// on: if the power fails, the start drops it and applies its changes from the log. If commit 42 follows before a
/// record has T = 41, a start would keep it, so the writer waits for its sync.
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
