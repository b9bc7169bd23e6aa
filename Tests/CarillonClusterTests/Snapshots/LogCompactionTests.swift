import CarillonCore
import Testing

@testable import CarillonCluster

/// The times at which this node makes a snapshot and trims.
struct LogCompactionTests {
    private var compaction: LogCompaction
    private let members: [Member]
    private var replica = ClusterNode.Replica()

    init() throws {
        var limits = RetentionRule.RetentionLimits()
        limits.entries = 10
        compaction = LogCompaction(limits: limits)
        members = try ["a", "b"].map { Member(node: try #require(NodeName($0)), incarnation: $0 == "a" ? 1 : 2) }
        replica.initialState = .empty
        replica.hash = RunningHash(position: 10, value: .zero)
    }

    /// Makes a view in which both nodes have applied ten entries.
    private func view(snapshot: LogPosition? = nil) -> ClusterView {
        let nodes = members.map { member in
            let progress = NodeProgress(
                member: member, applied: 10, hash: .zero, leaseMilliseconds: 4_000, address: "", version: "",
                newestFormat: 1)
            return NodeStatus(progress: progress, renewals: 1, silenceMilliseconds: 0, isOver: false)
        }
        let snapshots = snapshot.map { position in
            let header = SnapshotHeader(member: members[0], position: position, hash: .zero, format: 1)
            return Snapshot(id: SnapshotID(1), header: header, chunks: 1, bytes: 1)
        }
        let head = LogHead(position: 10, trimmed: 0)
        return ClusterView(log: .zero, head: head, nodes: nodes, snapshots: snapshots.map { [$0] } ?? [])
    }

    private mutating func begins(at now: Uptime) -> Bool {
        compaction.beginSnapshotIfDue(view(), by: members[0], of: replica, at: now)
    }

    @Test mutating func oneSnapshotIsMadeAtATime() {
        var begun = [begins(at: 5), begins(at: 6)]
        compaction.snapshotEnded(retry: nil)
        begun.append(begins(at: 7))
        #expect(begun == [true, false, true])
    }

    @Test mutating func aSnapshotThatHasFailedIsMadeAgainLater() {
        var begun = [begins(at: 5)]
        compaction.snapshotEnded(retry: 105)
        begun += [begins(at: 104), begins(at: 105)]
        #expect(begun == [true, false, true])
    }

    @Test mutating func theImportedDataOfOneNodeAreSavedInASnapshotAtOnce() {
        replica.hash = RunningHash(position: 2, value: .zero)
        var begun = [begins(at: 5)]
        replica.initialState = .imported
        begun.append(begins(at: 5))
        #expect(begun == [false, true])
    }

    @Test mutating func noSnapshotIsMadeWithoutAnInitialState() {
        replica.initialState = nil
        let isBegun = begins(at: 5)
        #expect(!isBegun)
    }

    @Test mutating func theOldestMemberTrimsTheLog() {
        let trims = [
            compaction.beginTrimIfPossible(view(snapshot: 9), by: members[1]),
            compaction.beginTrimIfPossible(view(), by: members[0]),
            compaction.beginTrimIfPossible(view(snapshot: 9), by: members[0]),
        ]
        #expect(trims.map { $0?.entries } == [nil, nil, 9])
    }

    @Test mutating func aNodeTrimsTheLogOnceAtATime() {
        var trims = [compaction.beginTrimIfPossible(view(snapshot: 9), by: members[0])]
        trims.append(compaction.beginTrimIfPossible(view(snapshot: 9), by: members[0]))
        compaction.trimEnded()
        trims.append(compaction.beginTrimIfPossible(view(snapshot: 9), by: members[0]))
        #expect(trims.map { $0 != nil } == [true, false, true])
    }
}
