import CarillonCore

/// Keeps the log short: this node makes snapshots of its replica and trims entries, one of each at a time.
struct LogCompaction: Sendable {
    private var retention: RetentionRule
    private var isMakingSnapshot = false
    /// The time before which no snapshot begins.
    private var snapshotDue: Uptime = 0
    private var isTrimming = false

    init(limits: RetentionRule.Limits) { retention = RetentionRule(limits: limits) }

    mutating func entriesApplied(_ entries: [LogEntry]) {
        for entry in entries { retention.entryApplied(bytes: entry.estimatedBytes) }
    }

    /// Takes the newest snapshot from a view.
    mutating func viewReceived(_ view: ClusterView) { retention.viewReceived(view) }

    // MARK: Snapshots

    /// Begins a snapshot and returns true, if this node should make one now.
    ///
    /// - Parameters:
    ///   - member: this node.
    ///   - state: the state of its replica. No snapshot begins before it knows what the log begins with.
    mutating func beginSnapshotIfDue(
        _ view: ClusterView, by member: Member, of state: ReplicaState, at now: Uptime
    ) -> Bool {
        guard let initialState = state.initialState, !isMakingSnapshot, snapshotDue <= now else { return false }
        // Until there is a snapshot, one node alone has the first data, and no other node can begin.
        let isFirst = initialState == .imported && view.snapshots.isEmpty
        isMakingSnapshot =
            isFirst || retention.isSnapshotDue(view, member: member, applied: state.applied.position)
        return isMakingSnapshot
    }

    /// Ends the making of a snapshot.
    ///
    /// - Parameter time: the time from which another may begin, if the snapshot has failed; nil if it is stored.
    mutating func snapshotEnded(retryAt time: Uptime?) {
        isMakingSnapshot = false
        if let time { snapshotDue = time }
    }

    // MARK: Trimming

    /// Begins to trim if that removes anything, and returns what to remove; nil if trimming does not begin. Only the
    /// oldest member trims, so that usually only one node does.
    mutating func beginTrimIfPossible(_ view: ClusterView, by member: Member) -> RetentionRule.Trim? {
        guard !isTrimming, view.liveNodes.map(\.member).min() == member, let trim = retention.trim(view) else {
            return nil
        }
        isTrimming = true
        return trim
    }

    /// Ends the trimming. The next view shows whether the log is trimmed.
    mutating func trimEnded() { isTrimming = false }
}
