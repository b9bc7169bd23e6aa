import CarillonCore
import Testing

@testable import CarillonCluster

/// The times at which this node makes a snapshot and trims.
struct LogCompactionTests {
    private var compaction: LogCompaction
    private var state = ReplicaState()

    init() {
        var limits = RetentionRule.Limits()
        limits.minimumEntries = 10
        compaction = LogCompaction(limits: limits)
        state.initialState = .empty
        state.applied = RunningHash(position: 10)
    }

    /// Makes a view in which both nodes have applied ten entries.
    private func view(snapshots: [Snapshot] = []) -> ClusterView {
        let nodes = [SampleCluster.a, SampleCluster.b].map { SampleCluster.node($0, applied: 10) }
        return SampleCluster.view(nodes, head: 10, snapshots: snapshots)
    }

    private mutating func beginsSnapshot(at now: Uptime) -> Bool {
        compaction.beginSnapshotIfDue(view(), by: SampleCluster.a, of: state, at: now)
    }

    /// Begins to trim a log with a snapshot at position 9. Returns the position up to which it is trimmed.
    private mutating func trim(by member: Member) -> LogPosition? {
        compaction.beginTrimIfPossible(view(snapshots: [SampleCluster.snapshot(at: 9)]), by: member)?.through
    }

    @Test mutating func `one snapshot is made at a time`() {
        var begun = [beginsSnapshot(at: 5), beginsSnapshot(at: 6)]
        compaction.snapshotEnded(retryAt: nil)
        begun.append(beginsSnapshot(at: 7))
        #expect(begun == [true, false, true])
    }

    @Test mutating func `a snapshot that has failed is made again later`() {
        var begun = [beginsSnapshot(at: 5)]
        compaction.snapshotEnded(retryAt: 105)
        begun += [beginsSnapshot(at: 104), beginsSnapshot(at: 105)]
        #expect(begun == [true, false, true])
    }

    @Test mutating func `the imported data of one node are saved in a snapshot at once`() {
        state.applied = RunningHash(position: 2)
        var begun = [beginsSnapshot(at: 5)]
        state.initialState = .imported
        begun.append(beginsSnapshot(at: 5))
        #expect(begun == [false, true])
    }

    @Test mutating func `no snapshot is made without an initial state`() {
        state.initialState = nil
        let isBegun = beginsSnapshot(at: 5)
        #expect(!isBegun)
    }

    @Test mutating func `the oldest member trims the log up to a snapshot`() {
        let byYounger = trim(by: SampleCluster.b)
        let withoutSnapshot = compaction.beginTrimIfPossible(view(), by: SampleCluster.a)
        #expect(byYounger == nil)
        #expect(withoutSnapshot?.through == nil)
        let byOldest = trim(by: SampleCluster.a)
        #expect(byOldest == 9)
    }

    @Test mutating func `a node trims the log once at a time`() {
        let first = trim(by: SampleCluster.a)
        let second = trim(by: SampleCluster.a)
        compaction.trimEnded()
        let third = trim(by: SampleCluster.a)
        #expect([first, second, third] == [9, nil, 9])
    }
}
