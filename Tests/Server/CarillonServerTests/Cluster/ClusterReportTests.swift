import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonServer

/// The lines that `carillond cluster-status` prints.
struct ClusterReportTests {
    @Test func `the report contains the log, the nodes and the snapshots`() throws {
        let a = Member(node: try #require(NodeName("a")), incarnation: 1)
        let long = Member(node: try #require(NodeName("node-2")), incarnation: 12)
        func status(_ member: Member, applied: LogPosition, silence: UInt64, isLive: Bool) -> NodeStatus {
            let progress = NodeProgress(
                member: member, applied: applied, hash: .zero, leaseMilliseconds: 4_000,
                address: isLive ? "10.0.0.1:7474" : "", version: "carillond/1.0", newestFormat: 1)
            return NodeStatus(progress: progress, renewals: 1, silenceMilliseconds: silence, isLive: isLive)
        }
        let header = SnapshotHeader(member: a, position: 1_000, hash: .zero, format: 1)
        let view = ClusterView(
            log: UUIDBytes(high: 1, low: 2), ends: LogEnds(head: 1_200, trimmed: 900),
            nodes: [
                status(a, applied: 1_200, silence: 900, isLive: true),
                status(long, applied: 1_000, silence: 61_500, isLive: false),
            ],
            snapshots: [Snapshot(id: SnapshotID(1), header: header, chunks: 2, bytes: 1_048_592)])
        #expect(
            ClusterReport.text(of: view) == """
                log 00000000-0000-0001-0000-000000000002, position 1200, entries kept 300
                node    state  incarnation  position  lag  silent  version        address
                a       live   1            1200      0    0 s     carillond/1.0  10.0.0.1:7474
                node-2  over   12           1000      200  61 s    carillond/1.0
                snapshot at position 1000, made by a/1, 1048592 bytes
                """)
    }
}
