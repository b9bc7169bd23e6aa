import CarillonCore

/// What this node does to keep the log short: a snapshot of its replica, and trimming what a snapshot contains. One of
/// each is under way at a time.
struct LogCompaction: Sendable {
    private var retention: RetentionRule
    private var isMakingSnapshot = false
    /// No snapshot begins before that time.
    private var snapshotDue: Uptime = 0
    private var isTrimming = false

    init(limits: RetentionRule.RetentionLimits) { retention = RetentionRule(limits: limits) }

    /// The replica has applied entries.
    mutating func applied(_ entries: [LogEntry]) {
        for entry in entries { retention.applied(bytes: entry.estimatedBytes) }
    }

    /// A view has come.
    mutating func saw(_ view: ClusterView) { retention.saw(view) }

    // MARK: Snapshots

    /// Begins a snapshot if this node is to make one now, and returns true.
    ///
    /// - Parameters:
    ///   - member: this node.
    ///   - replica: its replica, which contains what the state of the log begins with.
    mutating func beginSnapshotIfDue(
        _ view: ClusterView, by member: Member, of replica: ClusterNode.Replica, at now: Uptime
    ) -> Bool {
        guard let initialState = replica.initialState, !isMakingSnapshot, snapshotDue <= now else { return false }
        // No node can begin with a log whose first data are on one node only.
        let isFirst = initialState == .imported && view.snapshots.isEmpty
        isMakingSnapshot =
            isFirst || retention.isSnapshotDue(view, member: member, applied: replica.hash.position)
        return isMakingSnapshot
    }

    /// The snapshot has ended.
    ///
    /// - Parameter retry: when another may begin, if it has failed; nil if it is stored.
    mutating func snapshotEnded(retry: Uptime?) {
        isMakingSnapshot = false
        if let retry { snapshotDue = retry }
    }

    // MARK: Trimming

    /// Begins to trim if that removes anything, and returns what. Only the oldest member trims, so that usually only
    /// one node does.
    mutating func beginTrimIfPossible(_ view: ClusterView, by member: Member) -> RetentionRule.Trim? {
        guard !isTrimming, view.liveNodes.map(\.member).min() == member, let trim = retention.trim(view) else {
            return nil
        }
        isTrimming = true
        return trim
    }

    /// Trimming has ended. Whether the log is trimmed is seen in the next view.
    mutating func trimEnded() { isTrimming = false }
}
