/// Says which commits may have a deferred sync: the writer goes on while a helper thread syncs the commit. After any
/// other commit the writer waits for the disk.
///
/// A power cut before the end of a sync leaves a commit in the database that may not be whole, and the next start must
/// know whether to use it. Each record of the log contains a number T: the newest commit that was on the disk when the
/// record was begun. A start compares the T of the last record with the number of the newest commit in the database:
///
/// - If it is T + 1, the commit may not be whole. The start drops it, and applies its changes from the log. It is a
///   *commit in doubt*.
/// - If it is any other number, the start uses the commit, so the commit must be whole.
///
/// So a commit may have a deferred sync only if its number is T + 1 for the T of the last record.
///
/// For example, commit 40 is on the disk, and the next record has T = 40. Commit 41 may have a deferred sync, because a
/// start would drop it. Commit 42 may have one only after a record with T = 41. Until then a start would compare it
/// with T = 40, and would use it.
struct DeferredSyncRule {
    /// The number of the newest durable commit; 0 if it is not known.
    var durableCommit: UInt64 = 0
    /// The number in the last record that was appended; nil if no record was appended since the log was made or
    /// emptied.
    private var durableCommitInLastRecord: UInt64?
    /// The number in the record that is being appended; nil if no record is.
    private var durableCommitInNextRecord: UInt64?

    /// Called before the next record is appended, which has the number of the newest durable commit.
    mutating func recordBegan() { durableCommitInNextRecord = durableCommit }

    /// Called when the record that was being appended is in the log.
    mutating func recordAppended() {
        durableCommitInLastRecord = durableCommitInNextRecord
        durableCommitInNextRecord = nil
    }

    /// Refuses each commit a deferred sync until the next record is in the log.
    mutating func forbidDeferredSync() { durableCommitInLastRecord = nil }

    /// Returns true if the commit with a number may have a deferred sync.
    func mayDeferSync(of commit: UInt64) -> Bool {
        guard let last = durableCommitInLastRecord, last > 0 else { return false }
        // After a power cut the last record of the log may be the appended one or the one before.
        guard durableCommitInNextRecord == nil || durableCommitInNextRecord == last else { return false }
        return commit == last + 1
    }
}
