import CarillonClusterTestKit
import CarillonCore
import Testing

@testable import CarillonCluster

/// The rules of leases, silence, freshness, snapshots, formats and hashes, each as a table or a transcript.
struct RuleTests {
    private static let times = LeaseTimes(
        leaseMilliseconds: 4_000, marginMilliseconds: 1_000, renewalMilliseconds: 1_000)

    private static func member(_ name: String, _ incarnation: UInt64) -> Member {
        Member(node: NodeName(name)!, incarnation: incarnation)
    }

    private static let (a, b, c) = (member("a", 1), member("b", 2), member("c", 3))

    private static func node(
        _ member: Member, applied: LogPosition = 0, hash: UInt64 = 0, renewals: UInt64 = 1, format: UInt16 = 1,
        isOver: Bool = false
    ) -> NodeStatus {
        let progress = NodeProgress(
            member: member, applied: applied, hash: UUIDBytes(high: 0, low: hash), leaseMilliseconds: 4_000,
            address: "",
            version: "", newestFormat: format)
        return NodeStatus(progress: progress, renewals: renewals, silenceMilliseconds: 0, isOver: isOver)
    }

    private static func view(
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

    // MARK: Leases

    @Test func aLeaseIsCountedFromBeforeItsRenewalWasSent() {
        var rule = LeaseRule(times: Self.times, joinSentAt: 100)
        #expect([rule.isInForce(at: 4_099), rule.isInForce(at: 4_100)] == [true, false])
        #expect(rule.nextRenewal == 1_100)
        rule.willRenew(at: 1_100)
        #expect(rule.nextRenewal == nil)
        // The answer comes late; the lease does not begin with it.
        rule.leaseRenewed()
        #expect([rule.isInForce(at: 5_099), rule.isInForce(at: 5_100)] == [true, false])
        #expect([rule.remaining(at: 5_000), rule.remaining(at: 6_000)] == [100, 0])
        #expect(rule.nextRenewal == 2_100)
    }

    @Test func aNodeThatCannotRenewStopsAndMayGoOnLater() {
        var rule = LeaseRule(times: Self.times, joinSentAt: 0)
        rule.willRenew(at: 1_000)
        rule.renewalFailed(.unavailable(.unknown, "away"), at: 1_900)
        #expect(rule.nextRenewal == 2_000)
        rule.willRenew(at: 2_000)
        rule.renewalFailed(.unavailable(.none, "away"), at: 2_010)
        #expect(rule.nextRenewal == 2_260)
        #expect(!rule.isInForce(at: 4_000))
        rule.willRenew(at: 9_000)
        rule.leaseRenewed()
        #expect(rule.isInForce(at: 9_001))
    }

    @Test func aFencedNodeStopsAtOnce() {
        var rule = LeaseRule(times: Self.times, joinSentAt: 0)
        rule.willRenew(at: 1_000)
        rule.renewalFailed(.fenced, at: 1_001)
        #expect(!rule.isInForce(at: 1_001))
        #expect(rule.nextRenewal == nil)
        #expect(rule.isOver)
    }

    // MARK: Silence

    @Test func aNodeIsExpiredAfterItsLeaseAndTheMarginWithoutARenewal() {
        var rule = ExpiryRule(member: Self.a, times: Self.times)
        rule.viewReceived(Self.view([Self.node(Self.a), Self.node(Self.b, renewals: 3)]), at: 100)
        rule.viewReceived(Self.view([Self.node(Self.a), Self.node(Self.b, renewals: 3)]), at: 3_000)
        #expect(rule.nextCheck == 5_100)
        #expect(rule.expirableMembers(at: 5_099).isEmpty)
        let silent = rule.expirableMembers(at: 5_100)
        #expect(silent.map(\.member) == [Self.b])
        #expect(silent.first?.silence == Silence(renewals: 3, milliseconds: 5_000))
    }

    @Test func aRenewalBeginsTheObservationAgain() {
        var rule = ExpiryRule(member: Self.a, times: Self.times)
        rule.viewReceived(Self.view([Self.node(Self.b, renewals: 3)]), at: 0)
        rule.viewReceived(Self.view([Self.node(Self.b, renewals: 4)]), at: 4_999)
        #expect(rule.expirableMembers(at: 9_998).isEmpty)
        #expect(rule.expirableMembers(at: 9_999).count == 1)
        // A log database that has lost the last renewals in a crash shows an older number: another one as well.
        rule.viewReceived(Self.view([Self.node(Self.b, renewals: 2)]), at: 9_999)
        #expect(rule.expirableMembers(at: 14_998).isEmpty)
        rule.expiryRefused(of: Self.b, at: 14_999)
        #expect(rule.expirableMembers(at: 14_999).isEmpty)
        #expect(rule.expirableMembers(at: 19_999).count == 1)
    }

    @Test func aNodeThatIsOverOrJoinsAgainIsNotExpired() {
        var rule = ExpiryRule(member: Self.a, times: Self.times)
        rule.viewReceived(Self.view([Self.node(Self.a), Self.node(Self.b), Self.node(Self.c)]), at: 0)
        let again = Self.member("c", 9)
        rule.viewReceived(Self.view([Self.node(Self.a), Self.node(Self.b, isOver: true), Self.node(again)]), at: 4_000)
        #expect(rule.expirableMembers(at: 8_999).isEmpty)
        #expect(rule.expirableMembers(at: 9_000).map(\.member) == [again])
    }

    // MARK: Freshness

    @Test func aStateIsAsNewAsTheQuestionForItsHead() {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 10)
        #expect((rule.isBehind(at: 0), rule.staleness(at: 0)) == (true, nil))
        rule.headReported(10, askedAt: 100)
        #expect([rule.isBehind(at: 1_100), rule.isBehind(at: 1_101)] == [false, true])
        rule.headReported(12, askedAt: 1_000)
        #expect(rule.isBehind(at: 1_101))
        rule.entriesApplied(through: 11)
        #expect(rule.isBehind(at: 1_101))
        rule.entriesApplied(through: 12)
        #expect((rule.isBehind(at: 2_000), rule.staleness(at: 2_000)) == (false, 1_000))
        #expect([rule.hasReached(12), rule.hasReached(13)] == [true, false])
    }

    @Test func aStateThatNeverReachesTheHeadIsAsNewAsTheHeadThatItHasReached() {
        var rule = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 0)
        for second in 1...100 as ClosedRange<UInt64> {
            rule.headReported(LogPosition(second * 10), askedAt: Uptime(milliseconds: second * 100))
            if second > 5 { rule.entriesApplied(through: LogPosition((second - 5) * 10)) }
        }
        // It is five questions behind: half a second.
        #expect(rule.staleness(at: 10_000) == 500)
        var slow = FreshnessRule(maximumStalenessMilliseconds: 1_000, applied: 0)
        for second in 1...100 as ClosedRange<UInt64> {
            slow.headReported(LogPosition(second * 10), askedAt: Uptime(milliseconds: second * 100))
        }
        slow.entriesApplied(through: 10)
        #expect(slow.staleness(at: 10_000) == 9_900)
        slow.entriesApplied(through: 1_000)
        #expect(slow.staleness(at: 10_000) == 0)
    }

    // MARK: Snapshots and trimming

    @Test func aSnapshotIsDueByEntriesOrBytes() {
        var limits = RetentionRule.RetentionLimits()
        (limits.entries, limits.bytes) = (100, 1_000)
        var rule = RetentionRule(limits: limits)
        let nodes = [Self.node(Self.a, applied: 99), Self.node(Self.b, applied: 99)]
        let view = Self.view(nodes)
        let areDue = [99, 100].map { rule.isSnapshotDue(view, member: Self.a, applied: LogPosition($0)) }
        #expect(areDue == [false, true])
        rule.entryApplied(bytes: 999)
        #expect(!rule.isSnapshotDue(Self.view(nodes), member: Self.a, applied: 99))
        rule.entryApplied(bytes: 1)
        #expect(rule.isSnapshotDue(Self.view(nodes), member: Self.a, applied: 99))
        // The other node's name comes later, but only it is far enough.
        #expect(rule.isSnapshotDue(Self.view(nodes), member: Self.b, applied: 120))
        #expect(!rule.isSnapshotDue(Self.view(nodes), member: Self.b, applied: 99))
        // After a snapshot of 5,000 bytes, another is due after 5,000 bytes of entries.
        let later = Self.view(nodes, snapshots: [(99, 5_000)])
        rule.viewReceived(later)
        #expect(!rule.isSnapshotDue(later, member: Self.a, applied: 99))
        rule.entryApplied(bytes: 4_999)
        #expect(!rule.isSnapshotDue(later, member: Self.a, applied: 150))
        rule.entryApplied(bytes: 1)
        #expect(rule.isSnapshotDue(later, member: Self.a, applied: 150))
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
        let nodes = zip([Self.a, Self.b], trimming.applied).map { Self.node($0, applied: LogPosition($1)) }
        let view = Self.view(
            nodes + [Self.node(Self.c, applied: 1, isOver: true)], trimmed: LogPosition(trimming.trimmed),
            snapshots: trimming.snapshots.map { (LogPosition($0), 1) })
        let trim = RetentionRule(limits: limits).trim(view)
        #expect(trim?.entries.number == trimming.trim?.entries)
        #expect(trim?.snapshotsBefore.number == trimming.trim?.snapshots)
    }

    @Test func newFormsAreWrittenWhenEveryLiveNodeKnowsThem() {
        let nodes = [
            Self.node(Self.a, format: 3), Self.node(Self.b, format: 2), Self.node(Self.c, format: 1, isOver: true),
        ]
        #expect(FormatRule.writable(Self.view(nodes), newestKnown: 3, present: 1) == 2)
        #expect(FormatRule.writable(Self.view([nodes[0]]), newestKnown: 3, present: 1) == 3)
        #expect(FormatRule.writable(Self.view([]), newestKnown: 3, present: 1) == 3)
        // A node that has just joined has not said what it knows.
        let joined = Self.view([nodes[0], Self.node(Self.b, format: 0)])
        #expect(FormatRule.writable(joined, newestKnown: 3, present: 2) == 2)
    }

    // MARK: Hashes

    @Test func aRunningHashDependsOnPositionsAnswersAndTheirOrder() {
        func hash(_ entries: [(LogPosition, [UInt8])]) -> UUIDBytes {
            entries.reduce(into: RunningHash()) { $0.entryApplied(at: $1.0, answers: $1.1[...]) }.value
        }
        let all = [
            hash([]), hash([(1, [])]), hash([(2, [])]), hash([(1, [0])]), hash([(1, [0, 0])]),
            hash([(1, [1]), (2, [2])]),
            hash([(1, [2]), (2, [1])]), hash([(1, [1, 2]), (2, [])]), hash([(1, []), (2, [1, 2])]),
        ]
        #expect(Set(all).count == all.count)
        // It goes on from what was stored.
        var stored = RunningHash(position: 1, value: hash([(1, [1])]))
        stored.entryApplied(at: 2, answers: [2])
        #expect(stored.value == hash([(1, [1]), (2, [2])]))
    }

    /// The progress of another node. The hash of an equal replica has the number of the position.
    struct Other {
        let member: Member
        let position: LogPosition
        let hash: UInt64

        init(_ member: Member, at position: LogPosition, hash: UInt64) {
            (self.member, self.position, self.hash) = (member, position, hash)
        }
    }

    private static func compared(
        _ member: Member, with others: [Other], upTo last: UInt64 = 20
    ) -> ReplicaComparison {
        var comparison = ReplicaComparison(member: member)
        for number in 1...last {
            comparison.entryApplied(RunningHash(position: LogPosition(number), value: UUIDBytes(high: 0, low: number)))
        }
        comparison.viewReceived(
            view(others.map { node($0.member, applied: $0.position, hash: $0.hash) } + [node(member)]))
        return comparison
    }

    /// A node, the others that it knows of, and true if it must stop.
    struct Comparison: CustomTestStringConvertible {
        let member: Member
        let others: [Other]
        var mustStop = false

        var testDescription: String {
            let seen = others.map { "\($0.member) has \($0.hash) at \($0.position)" }
            return "\(member): \(seen.joined(separator: ", "))"
        }
    }

    @Test(
        arguments: [
            Comparison(member: a, others: [Other(b, at: 10, hash: 10), Other(c, at: 20, hash: 20)]),
            Comparison(member: b, others: [Other(a, at: 10, hash: 99), Other(c, at: 10, hash: 99)], mustStop: true),
            Comparison(member: c, others: [Other(a, at: 10, hash: 10), Other(b, at: 10, hash: 99)]),
            // Two nodes: the one that has been there longer goes on.
            Comparison(member: a, others: [Other(b, at: 10, hash: 99)]),
            Comparison(member: b, others: [Other(a, at: 10, hash: 99)], mustStop: true),
            // Not compared: not reached, and nothing remembered.
            Comparison(member: b, others: [Other(a, at: 21, hash: 99)]),
            Comparison(member: b, others: [Other(a, at: 0, hash: 99)]),
        ])
    func theReplicaThatDiffersStops(_ comparison: Comparison) {
        #expect(Self.compared(comparison.member, with: comparison.others).mustStop == comparison.mustStop)
    }

    @Test func aNodeThatIsAheadIsComparedWhenItsPositionIsReached() {
        var comparison = Self.compared(Self.b, with: [Other(Self.a, at: 22, hash: 99)])
        comparison.entryApplied(RunningHash(position: 21, value: UUIDBytes(high: 0, low: 21)))
        #expect(comparison.differing.isEmpty)
        comparison.entryApplied(RunningHash(position: 22, value: UUIDBytes(high: 0, low: 22)))
        #expect(comparison.differing == [Self.a])
        #expect(comparison.mustStop)
        comparison.viewReceived(Self.view([Self.node(Self.a, applied: 22, hash: 99, isOver: true)]))
        #expect(!comparison.mustStop)
    }

    @Test func theMemoryOfHashesIsBounded() {
        let last = UInt64(ReplicaComparison.maximumRemembered * 3)
        let old = LogPosition(last - UInt64(ReplicaComparison.maximumRemembered))
        #expect(Self.compared(Self.b, with: [Other(Self.a, at: old, hash: 99)], upTo: last).differing.isEmpty)
        let known = LogPosition(old.number + 1)
        #expect(Self.compared(Self.b, with: [Other(Self.a, at: known, hash: 99)], upTo: last).differing == [Self.a])
    }
}
