import CarillonCore

@testable import CarillonCluster

/// Members, entries and views of a cluster, as the tests of nodes and rules use them.
enum SampleCluster {
    static let times = LeaseTimes(
        leaseMilliseconds: 4_000, marginMilliseconds: 1_000, renewalMilliseconds: 1_000)

    /// The name of the log.
    static let log = UUIDBytes(high: 1, low: 1)

    static func member(_ name: String, _ incarnation: UInt64) -> Member {
        Member(node: NodeName(name)!, incarnation: incarnation)
    }

    static let a = member("a", 1)
    static let b = member("b", 2)
    static let c = member("c", 3)

    /// The members a, b and c, which joined in this order.
    static let live: LiveMembers = {
        var live = LiveMembers()
        for member in [a, b, c] { live.apply(entry(of: member, .joined)) }
        return live
    }()

    static func entry(
        of member: Member, sequence: UInt64 = 1, _ content: LogEntry.Content, format: UInt16 = 1
    ) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: sequence), format: format, content: content)!
    }

    static func node(
        _ member: Member, applied: LogPosition = 0, hash: UInt64 = 0, renewals: UInt64 = 1, format: UInt16 = 1,
        isLive: Bool = true
    ) -> NodeStatus {
        let progress = NodeProgress(
            member: member, applied: applied, hash: UUIDBytes(high: 0, low: hash), leaseMilliseconds: 4_000,
            address: "", version: "", newestFormat: format)
        return NodeStatus(progress: progress, renewals: renewals, silenceMilliseconds: 0, isLive: isLive)
    }

    static func view(
        _ nodes: [NodeStatus], head: LogPosition = 1_000, trimmed: LogPosition = 0, snapshots: [Snapshot] = []
    ) -> ClusterView {
        ClusterView(
            log: log, ends: LogEnds(head: head, trimmed: trimmed), nodes: nodes, snapshots: snapshots)
    }

    /// Makes a snapshot of the member a.
    static func snapshot(at position: LogPosition, bytes: UInt64 = 10) -> Snapshot {
        let hash = UUIDBytes(high: 0, low: position.number)
        return Snapshot(
            id: SnapshotID(position.number),
            header: SnapshotHeader(member: a, position: position, hash: hash, format: 1), chunks: 1, bytes: bytes)
    }
}
