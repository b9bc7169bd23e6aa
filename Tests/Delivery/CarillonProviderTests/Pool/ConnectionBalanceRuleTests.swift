import CarillonCore
import CarillonProvider
import Testing

/// A connection that is served worse than the others of its group gets less work.
struct ConnectionBalanceRuleTests {
    private typealias Report = ConnectionBalanceRule.Report

    /// Returns the rates after some equal intervals.
    private func rates(_ reports: [Report], intervals: Int = 2, of balance: inout ConnectionBalanceRule) -> [Int?] {
        let numbered = Dictionary(uniqueKeysWithValues: reports.enumerated().map { ($0.offset, $0.element) })
        for _ in 0..<intervals { balance.judge(numbered) }
        return reports.indices.map { balance.pushesPerInterval[$0] }
    }

    private func rates(_ reports: [Report], intervals: Int = 2) -> [Int?] {
        var balance = ConnectionBalanceRule()
        return rates(reports, intervals: intervals, of: &balance)
    }

    private let good = Report(answers: 1_000, busy: 0, unanswered: 60)

    @Test func `connections that are served alike are not limited`() {
        #expect(rates([good, good]) == [nil, nil])
        let busy = Report(answers: 1_000, busy: 1_000, unanswered: 60)
        #expect(rates([busy, busy, busy]) == [nil, nil, nil], "the pool as a whole is slowed down instead")
        let half = Report(answers: 1_000, busy: 500, unanswered: 60)
        #expect(rates([half, Report(answers: 800, busy: 300, unanswered: 50)]) == [nil, nil])
        let slow = Report(answers: 100, busy: 0, unanswered: 1_000)
        #expect(rates([slow, slow]) == [nil, nil])
        #expect(rates([busy]) == [nil], "there is no other to compare it with")
        #expect(rates([slow]) == [nil])
    }

    @Test(
        arguments: [
            // A connection whose pushes are refused at once would take most of the work.
            (.init(answers: 4_000, busy: 4_000, unanswered: 0), [1_000, 250, 62]),
            (.init(answers: 1_000, busy: 150, unanswered: 60), [250, 62, 15]),
            // A connection counts as slow from its second slow interval on.
            (.init(answers: 100, busy: 0, unanswered: 1_000), [nil, 25, 6]),
            (.init(answers: 0, busy: 0, unanswered: 500), [nil, 4, 4]),
        ] as [(ConnectionBalanceRule.Report, [Int?])])
    func `a connection that is served worse gets less`(_ bad: ConnectionBalanceRule.Report, _ expected: [Int?]) {
        var balance = ConnectionBalanceRule()
        let intervals = expected.map { _ in rates([good, bad, good], intervals: 1, of: &balance) }
        #expect(intervals == expected.map { [nil, $0, nil] })
    }

    @Test func `the few pushes of a limited connection show when it is good again`() {
        var balance = ConnectionBalanceRule()
        let bad = Report(answers: 1_000, busy: 900, unanswered: 0)
        #expect(rates([good, bad], intervals: 1, of: &balance) == [nil, 250])
        #expect(
            rates([good, Report(answers: 250, busy: 250, unanswered: 0)], intervals: 1, of: &balance) == [nil, 62])
        for _ in 0..<9 { _ = rates([good, Report(answers: 4, busy: 4, unanswered: 0)], intervals: 1, of: &balance) }
        #expect(balance.pushesPerInterval == [1: 4])
        var seen: [Int?] = []
        while let rate = balance.pushesPerInterval[1] {
            seen.append(rate)
            _ = rates([good, Report(answers: rate, busy: 0, unanswered: 0)], intervals: 1, of: &balance)
        }
        #expect(seen == [4, 8, 16, 32, 64, 128, 256, 512], "1,024 would be more than the other does")
    }

    @Test(arguments: [
        // A few answers, or a burst at the end of an interval, say nothing.
        [ConnectionBalanceRule.Report(answers: 9, busy: 9, unanswered: 0)],
        [.init(answers: 1_000, busy: 100, unanswered: 60)],
        [.init(answers: 100, busy: 0, unanswered: 20), .init(answers: 20, busy: 0, unanswered: 1_000)],
        [.init(answers: 0, busy: 0, unanswered: 9), .init(answers: 0, busy: 0, unanswered: 9)],
    ])
    func `a connection is not limited for a difference that may be chance`(_ reports: [ConnectionBalanceRule.Report]) {
        var balance = ConnectionBalanceRule()
        for report in reports { #expect(rates([good, report], intervals: 1, of: &balance) == [nil, nil]) }
    }

    @Test func `limits end in an interval without traffic`() {
        var balance = ConnectionBalanceRule()
        _ = rates([good, Report(answers: 1_000, busy: 1_000, unanswered: 0)], intervals: 1, of: &balance)
        let nothing = Report(answers: 0, busy: 0, unanswered: 0)
        #expect(rates([nothing, nothing], intervals: 1, of: &balance) == [nil, nil])
    }

    @Test func `a closed connection is forgotten`() {
        var balance = ConnectionBalanceRule()
        _ = rates([good, Report(answers: 1_000, busy: 1_000, unanswered: 0)], intervals: 1, of: &balance)
        balance.judge([0: good])
        #expect(balance.pushesPerInterval.isEmpty)
    }
}
