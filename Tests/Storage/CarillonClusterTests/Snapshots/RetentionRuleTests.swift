import CarillonCore
import Testing

@testable import CarillonCluster

/// The snapshots that are due, and the positions to which the log is trimmed.
struct RetentionRuleTests {
    private let a = SampleCluster.a, b = SampleCluster.b
    /// The nodes a and b, which have applied 99 entries.
    private let nodes = [SampleCluster.a, SampleCluster.b].map { SampleCluster.node($0, applied: 99) }

    /// Makes the rule of a snapshot every 100 entries or 1,000 bytes.
    private func makeRule() -> RetentionRule {
        var limits = RetentionRule.Limits()
        limits.minimumEntries = 100
        limits.minimumBytes = 1_000
        return RetentionRule(limits: limits)
    }

    @Test func `a snapshot is due after many entries`() {
        let rule = makeRule()
        let view = SampleCluster.view(nodes)
        #expect(!rule.isSnapshotDue(view, member: a, applied: 99))
        #expect(rule.isSnapshotDue(view, member: a, applied: 100))
    }

    @Test func `a snapshot is due after many bytes`() {
        var rule = makeRule()
        let view = SampleCluster.view(nodes)
        rule.entryApplied(bytes: 999)
        #expect(!rule.isSnapshotDue(view, member: a, applied: 99))
        rule.entryApplied(bytes: 1)
        #expect(rule.isSnapshotDue(view, member: a, applied: 99))
    }

    @Test func `of the nodes that have applied enough the first by name makes a snapshot`() {
        var rule = makeRule()
        let view = SampleCluster.view(nodes)
        rule.entryApplied(bytes: 1_000)
        #expect(rule.isSnapshotDue(view, member: a, applied: 99))
        #expect(!rule.isSnapshotDue(view, member: b, applied: 99), "the name of a comes first")
        #expect(rule.isSnapshotDue(view, member: b, applied: 120), "only b is far enough")
    }

    @Test func `a large snapshot is followed by the next after as many bytes of entries`() {
        var rule = makeRule()
        let view = SampleCluster.view(nodes, snapshots: [SampleCluster.snapshot(at: 99, bytes: 5_000)])
        rule.entryApplied(bytes: 1_000)
        rule.viewReceived(view)
        #expect(!rule.isSnapshotDue(view, member: a, applied: 99))
        rule.entryApplied(bytes: 4_999)
        #expect(!rule.isSnapshotDue(view, member: a, applied: 150))
        rule.entryApplied(bytes: 1)
        #expect(rule.isSnapshotDue(view, member: a, applied: 150))
    }

    /// Positions of the nodes and of the log, and what is trimmed then.
    struct Trimming: CustomTestStringConvertible {
        /// The position up to which entries are removed, and the one before which snapshots are.
        struct Bounds {
            let entries: UInt64
            let snapshots: UInt64
        }

        /// The position of each node.
        let applied: [UInt64]
        let snapshots: [UInt64]
        /// The position up to which the log is trimmed already.
        var trimmed: UInt64 = 0
        var trim: Bounds?

        var testDescription: String { "nodes at \(applied), snapshots at \(snapshots), trimmed to \(trimmed)" }
    }

    @Test(
        arguments: [
            Trimming(applied: [50, 60], snapshots: []),
            Trimming(applied: [50, 60], snapshots: [40], trim: .init(entries: 40, snapshots: 40)),
            Trimming(applied: [30, 60], snapshots: [40], trim: .init(entries: 30, snapshots: 40)),
            Trimming(applied: [50, 60], snapshots: [55, 40], trim: .init(entries: 50, snapshots: 40)),
            Trimming(applied: [60, 60], snapshots: [55, 40], trim: .init(entries: 55, snapshots: 55)),
            Trimming(applied: [60, 60], snapshots: [55, 40], trimmed: 55, trim: .init(entries: 55, snapshots: 55)),
            Trimming(applied: [60, 60], snapshots: [55], trimmed: 55),
            Trimming(applied: [0, 60], snapshots: [40]),
            Trimming(applied: [40, 60], snapshots: [55, 40, 20], trim: .init(entries: 40, snapshots: 40)),
            Trimming(applied: [5_000, 1], snapshots: [4_000], trim: .init(entries: 4_000, snapshots: 4_000)),
        ])
    func `the log is trimmed to what no node needs`(_ trimming: Trimming) {
        var limits = RetentionRule.Limits()
        limits.entriesBehind = 3_000
        let nodes = zip([SampleCluster.a, SampleCluster.b], trimming.applied).map {
            SampleCluster.node($0, applied: LogPosition($1))
        }
        let view = SampleCluster.view(
            nodes + [SampleCluster.node(SampleCluster.c, applied: 1, isLive: false)],
            trimmed: LogPosition(trimming.trimmed),
            snapshots: trimming.snapshots.map { SampleCluster.snapshot(at: LogPosition($0)) })
        let trim = RetentionRule(limits: limits).trim(view)
        #expect(trim?.through.number == trimming.trim?.entries)
        #expect(trim?.snapshotsBefore.number == trimming.trim?.snapshots)
    }
}
