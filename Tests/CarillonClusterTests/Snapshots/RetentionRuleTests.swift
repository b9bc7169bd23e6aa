import CarillonCore
import Testing

@testable import CarillonCluster

/// The snapshots that are due, and the positions to which the log is trimmed.
struct RetentionRuleTests {
    @Test func aSnapshotIsDueByEntriesOrBytes() {
        var limits = RetentionRule.RetentionLimits()
        (limits.entries, limits.bytes) = (100, 1_000)
        var rule = RetentionRule(limits: limits)
        let nodes = [
            SampleCluster.node(SampleCluster.a, applied: 99), SampleCluster.node(SampleCluster.b, applied: 99),
        ]
        let view = SampleCluster.view(nodes)
        let areDue = [99, 100].map { rule.isSnapshotDue(view, member: SampleCluster.a, applied: LogPosition($0)) }
        #expect(areDue == [false, true])
        rule.entryApplied(bytes: 999)
        #expect(!rule.isSnapshotDue(SampleCluster.view(nodes), member: SampleCluster.a, applied: 99))
        rule.entryApplied(bytes: 1)
        #expect(rule.isSnapshotDue(SampleCluster.view(nodes), member: SampleCluster.a, applied: 99))
        // The other node's name comes later, but only it is far enough.
        #expect(rule.isSnapshotDue(SampleCluster.view(nodes), member: SampleCluster.b, applied: 120))
        #expect(!rule.isSnapshotDue(SampleCluster.view(nodes), member: SampleCluster.b, applied: 99))
        // After a snapshot of 5,000 bytes, another is due after 5,000 bytes of entries.
        let later = SampleCluster.view(nodes, snapshots: [SampleCluster.snapshot(at: 99, bytes: 5_000)])
        rule.viewReceived(later)
        #expect(!rule.isSnapshotDue(later, member: SampleCluster.a, applied: 99))
        rule.entryApplied(bytes: 4_999)
        #expect(!rule.isSnapshotDue(later, member: SampleCluster.a, applied: 150))
        rule.entryApplied(bytes: 1)
        #expect(rule.isSnapshotDue(later, member: SampleCluster.a, applied: 150))
    }

    /// Positions of the nodes and of the log, and what is trimmed then.
    struct Trimming: CustomTestStringConvertible {
        /// The positions before which entries and snapshots are removed.
        struct Bounds {
            let entries: UInt64
            let snapshots: UInt64
        }

        /// The position of each node.
        let applied: [UInt64]
        let snapshots: [UInt64]
        /// The position before which the log is trimmed already.
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
    func theLogIsTrimmedToWhatNoNodeNeeds(_ trimming: Trimming) {
        var limits = RetentionRule.RetentionLimits()
        limits.maximumBehind = 3_000
        let nodes = zip([SampleCluster.a, SampleCluster.b], trimming.applied).map {
            SampleCluster.node($0, applied: LogPosition($1))
        }
        let view = SampleCluster.view(
            nodes + [SampleCluster.node(SampleCluster.c, applied: 1, isOver: true)],
            trimmed: LogPosition(trimming.trimmed),
            snapshots: trimming.snapshots.map { SampleCluster.snapshot(at: LogPosition($0)) })
        let trim = RetentionRule(limits: limits).trim(view)
        #expect(trim?.entries.number == trimming.trim?.entries)
        #expect(trim?.snapshotsBefore.number == trimming.trim?.snapshots)
    }
}
