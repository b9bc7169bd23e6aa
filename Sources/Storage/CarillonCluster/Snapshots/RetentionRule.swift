/// Decides when this node makes a snapshot of its replica, and how far the log is trimmed.
package struct RetentionRule: Sendable {
    /// The sizes at which a snapshot is due or the log is trimmed.
    package struct Limits: Hashable, Sendable {
        /// Another snapshot is due once there are this many entries after the newest one.
        package var minimumEntries: UInt64 = 100_000
        /// Another snapshot is due once the entries after the newest one have this many bytes. A larger snapshot raises
        /// the number, so that no more is written for snapshots than for entries.
        package var minimumBytes: UInt64 = 1 << 30
        /// The most entries that a node may be behind the newest snapshot. The log is not kept for a node that is
        /// further behind: that node begins again with a snapshot.
        package var entriesBehind: UInt64 = 1_000_000

        package init() {}
    }

    /// The entries and snapshots to remove.
    package struct Trim: Hashable, Sendable {
        /// The position of the last entry to remove.
        package var through: LogPosition
        /// The position before which complete snapshots are removed.
        package var snapshotsBefore: LogPosition
    }

    private let limits: Limits
    /// The number of bytes of the entries that the replica has applied since ``newestSnapshot``.
    private var bytes: UInt64 = 0
    /// The position of the newest snapshot that was seen.
    private var newestSnapshot: LogPosition

    package init(limits: Limits = Limits(), snapshot: LogPosition = 0) {
        self.limits = limits
        newestSnapshot = snapshot
    }

    /// Counts an entry of `count` bytes that the replica has applied.
    package mutating func entryApplied(bytes count: Int) {
        let (sum, overflows) = bytes.addingReportingOverflow(UInt64(max(0, count)))
        bytes = overflows ? .max : sum
    }

    /// Takes the newest snapshot from a view. If it is a new one, the count of bytes begins again: entries that were
    /// applied while the snapshot was made are left out.
    package mutating func viewReceived(_ view: ClusterView) {
        guard let position = view.snapshots.first?.header.position, position > newestSnapshot else { return }
        newestSnapshot = position
        bytes = 0
    }

    /// Returns true if this node should make a snapshot of its replica now.
    ///
    /// The node whose name sorts first among those that have applied enough makes the snapshot. So usually one node
    /// tries, and the log database refuses a second.
    package func isSnapshotDue(_ view: ClusterView, member: Member, applied: LogPosition) -> Bool {
        let newest = view.snapshots.first
        let entries = applied.distance(from: newest?.header.position ?? 0)
        guard entries > 0, entries >= limits.minimumEntries || bytes >= max(limits.minimumBytes, newest?.bytes ?? 0)
        else {
            return false
        }
        let able = view.liveNodes.filter { $0.progress.applied >= applied || $0.member == member }
        return able.map(\.member.node).min() == member.node
    }

    /// Returns the entries and snapshots that may be removed; nil if none may be. Every node gets the same result, so
    /// any node may remove them.
    ///
    /// The entries that a live node has not applied are kept, and so are the entries after the newest complete
    /// snapshot. A node that loads a snapshot publishes the position of that snapshot. So the snapshot and the entries
    /// after it are kept.
    package func trim(_ view: ClusterView) -> Trim? {
        guard let newest = view.snapshots.first?.header.position else { return nil }
        let waitedFor = view.liveNodes.map(\.progress.applied)
            .filter { newest.distance(from: $0) <= limits.entriesBehind }
        let least = min(waitedFor.min() ?? newest, newest)
        // The newest snapshot that every node has reached stays, and so do all later snapshots.
        let kept = view.snapshots.map(\.header.position).first { $0 <= least } ?? newest
        let isOlderThere = view.snapshots.contains { $0.header.position < min(kept, newest) }
        guard least > view.ends.trimmed || isOlderThere else { return nil }
        return Trim(through: max(least, view.ends.trimmed), snapshotsBefore: min(kept, newest))
    }
}
