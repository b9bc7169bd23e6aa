import CarillonCore
import Testing

@testable import CarillonCluster

/// Compares the hashes of replicas, and names the replica that stops if they differ.
struct ReplicaComparisonTests {
    private static let a = SampleCluster.a
    private static let b = SampleCluster.b
    private static let c = SampleCluster.c

    /// The progress of another node. The hash of an equal replica has the number of the position.
    struct Other {
        let member: Member
        let position: LogPosition
        let hash: UInt64

        init(_ member: Member, at position: LogPosition, hash: UInt64) {
            self.member = member
            self.position = position
            self.hash = hash
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
            SampleCluster.view(
                others.map { SampleCluster.node($0.member, applied: $0.position, hash: $0.hash) } + [
                    SampleCluster.node(member)
                ]))
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
            // Of two nodes that differ, the one that joined first goes on.
            Comparison(member: a, others: [Other(b, at: 10, hash: 99)]),
            Comparison(member: b, others: [Other(a, at: 10, hash: 99)], mustStop: true),
            // These are not compared: position 21 is not reached, and the hash at position 0 is not remembered.
            Comparison(member: b, others: [Other(a, at: 21, hash: 99)]),
            Comparison(member: b, others: [Other(a, at: 0, hash: 99)]),
        ])
    func `the replica that differs stops`(_ comparison: Comparison) {
        #expect(Self.compared(comparison.member, with: comparison.others).mustStop == comparison.mustStop)
    }

    @Test func `a node that is ahead is compared when its position is reached`() {
        var comparison = Self.compared(Self.b, with: [Other(Self.a, at: 22, hash: 99)])
        comparison.entryApplied(RunningHash(position: 21, value: UUIDBytes(high: 0, low: 21)))
        #expect(comparison.differing.isEmpty)
        comparison.entryApplied(RunningHash(position: 22, value: UUIDBytes(high: 0, low: 22)))
        #expect(comparison.differing == [Self.a])
        #expect(comparison.mustStop)
        comparison.viewReceived(SampleCluster.view([SampleCluster.node(Self.a, applied: 22, hash: 99, isLive: false)]))
        #expect(!comparison.mustStop)
    }

    @Test func `the memory of hashes is bounded`() {
        let last = UInt64(ReplicaComparison.maximumRemembered * 3)
        let old = LogPosition(last - UInt64(ReplicaComparison.maximumRemembered))
        #expect(Self.compared(Self.b, with: [Other(Self.a, at: old, hash: 99)], upTo: last).differing.isEmpty)
        let known = LogPosition(old.number + 1)
        #expect(Self.compared(Self.b, with: [Other(Self.a, at: known, hash: 99)], upTo: last).differing == [Self.a])
    }
}
