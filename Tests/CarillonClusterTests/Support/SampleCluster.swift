import CarillonCore

@testable import CarillonCluster

/// Members, their progress and views of a cluster, as the tests of rules use them.
enum SampleCluster {
    static let times = LeaseTimes(
        leaseMilliseconds: 4_000, marginMilliseconds: 1_000, renewalMilliseconds: 1_000)

    static func member(_ name: String, _ incarnation: UInt64) -> Member {
        Member(node: NodeName(name)!, incarnation: incarnation)
    }

    static let (a, b, c) = (member("a", 1), member("b", 2), member("c", 3))

    static func node(
        _ member: Member, applied: LogPosition = 0, hash: UInt64 = 0, renewals: UInt64 = 1, format: UInt16 = 1,
        isOver: Bool = false
    ) -> NodeStatus {
        let progress = NodeProgress(
            member: member, applied: applied, hash: UUIDBytes(high: 0, low: hash), leaseMilliseconds: 4_000,
            address: "",
            version: "", newestFormat: format)
        return NodeStatus(progress: progress, renewals: renewals, silenceMilliseconds: 0, isOver: isOver)
    }

    static func view(
        _ nodes: [NodeStatus], head: LogPosition = 1_000, trimmed: LogPosition = 0,
        snapshots: [(LogPosition, UInt64)] = []
    ) -> ClusterView {
        ClusterView(
            log: .zero, head: LogHead(position: head, trimmed: trimmed), nodes: nodes,
            snapshots: snapshots.map { position, bytes in
                Snapshot(
                    id: SnapshotID(position.number),
                    header: SnapshotHeader(member: a, position: position, hash: .zero, format: 1), chunks: 1,
                    bytes: bytes)
            })
    }
}
