import CarillonClusterTestKit
import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonCluster

/// The appends of one node, as transcripts: what the node learns of its log database, and the action that follows.
struct AppendRuleTests {
    private static let member = Member(node: NodeName("a")!, incarnation: 4)
    private static let lost = LogError.unavailable(.unknown, "lost")
    private static let away = LogError.unavailable(.none, "away")

    private static func entry(_ sequence: UInt64) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: sequence), format: 1, content: .changes([7]))!
    }

    /// The rule of a node, behind a reference, because `#expect` calls no mutating function.
    private final class Node {
        private(set) var rule = AppendRule(member: AppendRuleTests.member)

        func begin(deadline: Uptime = 1_000, at now: Uptime = 0) -> AppendRule.Action {
            rule.begin(.changes([7]), format: 1, deadline: deadline, at: now)
        }

        func entryAppended(at position: LogPosition) -> AppendRule.Action { rule.entryAppended(at: position) }
        func appendFailed(_ failure: LogError, at now: Uptime) -> AppendRule.Action {
            rule.appendFailed(failure, at: now)
        }
        func entrySettled(_ settlement: Settlement, at now: Uptime) -> AppendRule.Action {
            rule.entrySettled(settlement, at: now)
        }
        func settleFailed(_ failure: LogError, at now: Uptime) -> AppendRule.Action {
            rule.settleFailed(failure, at: now)
        }
        func delayEnded(at now: Uptime) -> AppendRule.Action { rule.delayEnded(at: now) }
    }

    private let node = Node()

    @Test func `entries are appended one after the other`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.rule.isBusy)
        #expect(node.entryAppended(at: 10) == .finish(.appended(10)))
        #expect(!node.rule.isBusy)
        #expect(node.begin() == .append(Self.entry(3)))
    }

    @Test func `an unknown end is settled before the next append`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.lost, at: 5) == .settle(Self.entry(2).id))
        #expect(node.entrySettled(.appended(10), at: 9) == .finish(.appended(10)))
        #expect(node.begin() == .append(Self.entry(3)))
    }

    @Test func `an entry that is not in the log is appended under another sequence`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.lost, at: 5) == .settle(Self.entry(2).id))
        #expect(node.entrySettled(.never, at: 9) == .append(Self.entry(3)))
        #expect(node.entryAppended(at: 10) == .finish(.appended(10)))
        #expect(node.begin() == .append(Self.entry(4)))
    }

    @Test func `an append without effect is repeated until its deadline`() {
        #expect(node.begin(deadline: 100) == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.away, at: 5) == .wait(until: 15))
        #expect(node.delayEnded(at: 15) == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.away, at: 20) == .wait(until: 40))
        #expect(node.delayEnded(at: 40) == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.away, at: 90) == .wait(until: 100))
        #expect(node.delayEnded(at: 100) == .finish(.refused(Self.away)))
        #expect(!node.rule.isBusy)
    }

    @Test func `an append ends as unknown at its deadline and is still settled`() {
        let entry = Self.entry(2)
        let id = Self.entry(2).id
        let before = [
            node.begin(deadline: 50), node.appendFailed(Self.lost, at: 40), node.settleFailed(Self.away, at: 45),
            node.delayEnded(at: 50), node.settleFailed(Self.away, at: 60),
        ]
        #expect(before == [.append(entry), .settle(id), .wait(until: 50), .settle(id), .reportUnknown(until: 80)])
        #expect(node.rule.isBusy)
        let after = [
            node.delayEnded(at: 80), node.settleFailed(Self.lost, at: 90), node.delayEnded(at: 130),
            node.entrySettled(.appended(10), at: 140),
        ]
        #expect(after == [.settle(id), .wait(until: 130), .settle(id), .finishUnknown(.appended(10))])
        #expect(!node.rule.isBusy)
    }

    @Test func `an append that ended as unknown is not repeated`() {
        #expect(node.begin(deadline: 50) == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.lost, at: 60) == .settle(Self.entry(2).id))
        #expect(node.settleFailed(Self.away, at: 60) == .reportUnknown(until: 70))
        #expect(node.delayEnded(at: 70) == .settle(Self.entry(2).id))
        let failure = LogError.unavailable(.none, "the append failed, and no time was left for another")
        #expect(node.entrySettled(.never, at: 80) == .finishUnknown(.refused(failure)))
    }

    @Test func `a fenced node appends nothing more`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.appendFailed(.fenced, at: 5) == .finish(.refused(.fenced)))
        #expect(node.rule.isFenced)
        #expect(node.begin() == .finish(.refused(.fenced)))
    }

    @Test func `a fenced node first settles its last entry`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.lost, at: 5) == .settle(Self.entry(2).id))
        #expect(node.entrySettled(.never, at: 6) == .append(Self.entry(3)))
        #expect(node.appendFailed(.fenced, at: 7) == .finish(.refused(.fenced)))
    }

    @Test func `an end that a newer incarnation has forgotten ends the node`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.appendFailed(Self.lost, at: 5) == .settle(Self.entry(2).id))
        #expect(node.entrySettled(.forgotten, at: 6) == .finish(.forgotten))
        #expect(node.rule.isFenced)
    }

    @Test func `an append is refused at once if only an operator can help`() {
        #expect(node.begin() == .append(Self.entry(2)))
        #expect(node.appendFailed(.refused("no rights"), at: 5) == .finish(.refused(.refused("no rights"))))
        #expect(!node.rule.isFenced)
    }

    @Test func `the delays between attempts grow to half a second`() {
        _ = node.begin(deadline: .max)
        var now = Uptime(0)
        var delays = [UInt64]()
        for _ in 0..<9 {
            guard case .wait(let until) = node.appendFailed(Self.away, at: now) else { break }
            delays.append(until - now)
            now = until
            #expect(node.delayEnded(at: now) == .append(Self.entry(2)))
        }
        #expect(delays == [10, 20, 40, 80, 160, 320, 500, 500, 500])
    }

    // MARK: Against a simulated log database

    /// Three nodes append on a bad network, and each answer that a node is told is judged.
    @Test(arguments: TestSeeds.of(1...200))
    func `reported ends of appends are true in a simulation`(seed: UInt64) throws {
        let run = AppendSimulation(seed: seed)
        #expect(run.run() == [], "CARILLON_SEED=\(seed)")
    }

    @Test func `the simulation finds a rule that does not settle`() {
        let found = (1...50 as ClosedRange<UInt64>).contains { seed in
            let run = AppendSimulation(seed: seed, settles: false)
            return run.run() != []
        }
        #expect(found)
    }

    @Test func `the simulation finds a log database that does not fence`() {
        let found = (1...50 as ClosedRange<UInt64>).contains { seed in
            let run = AppendSimulation(seed: seed, fences: false)
            return run.run() != []
        }
        #expect(found)
    }
}
