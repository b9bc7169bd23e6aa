import CarillonCore
import CarillonProvider
import Testing

/// The growth of a group, by what the kernel says of the event loops' threads.
struct ConnectionGrowthRuleTests {
    /// Loops in an interval of 200 ms.
    struct Interval: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The milliseconds for which each loop ran and waited for a processor.
        let worked: [(running: UInt64, waiting: UInt64)]
        let isPermitted: Bool

        init(_ name: String, _ worked: [(running: UInt64, waiting: UInt64)], permits isPermitted: Bool) {
            testDescription = name
            self.worked = worked
            self.isPermitted = isPermitted
        }
    }

    static let intervals: [Interval] = [
        Interval("an idle loop", [(20, 0)], permits: true),
        Interval("a loop that runs for most of the time", [(170, 5)], permits: true),
        Interval("a loop that runs all the time", [(198, 0)], permits: false),
        Interval("a loop that runs or waits all the time", [(160, 30)], permits: false),
        Interval("two busy loops", [(190, 5), (180, 15)], permits: false),
        Interval("one busy loop of two", [(198, 0), (0, 0)], permits: true),
        Interval("a loop that waits for a processor longer than it runs", [(30, 60)], permits: false),
        Interval("two loops that wait longer than they run", [(60, 20), (10, 60)], permits: false),
        Interval("a loop that waits for a short time", [(60, 30)], permits: true),
        Interval("an idle loop that waits for a processor", [(5, 40)], permits: true),
    ]

    private let idle = [ConnectionGrowthRule.ProcessorTime(running: 0, waiting: 0)]

    @Test(arguments: intervals) func `loops with time left permit a connection`(_ interval: Interval) {
        var growth = ConnectionGrowthRule()
        var times = interval.worked.map { _ in
            ConnectionGrowthRule.ProcessorTime(running: 7_000_000, waiting: 3_000_000)
        }
        #expect(!growth.sampleAndDecide(at: 5_000) { times }, "the first interval begins")
        var answers: [Bool] = []
        var undecided: [Bool] = []
        for number in 1...3 {
            for (index, milliseconds) in interval.worked.enumerated() {
                times[index].running += milliseconds.running * 1_000_000
                times[index].waiting += milliseconds.waiting * 1_000_000
            }
            answers.append(growth.sampleAndDecide(at: Uptime(integerLiteral: 5_000) + UInt64(number) * 200) { times })
            undecided.append(growth.isUndecided)
        }
        #expect(answers == [false, false, interval.isPermitted])
        #expect(undecided == [interval.isPermitted, interval.isPermitted, false])
    }

    /// Returns the answers at some times to loops that do nothing.
    private func answers(at times: [Uptime], of growth: inout ConnectionGrowthRule) -> [Bool] {
        times.map { growth.sampleAndDecide(at: $0) { idle } }
    }

    @Test func `an interval that is too short is not counted`() {
        var growth = ConnectionGrowthRule()
        #expect(
            answers(at: [1_000, 1_099, 1_100, 1_199, 1_200, 1_300], of: &growth) == [
                false, false, false, false, false, true,
            ])
    }

    @Test func `an interval that is too long begins again`() {
        var growth = ConnectionGrowthRule()
        #expect(
            answers(at: [1_000, 1_100, 2_101, 2_201, 2_301, 2_401], of: &growth) == [
                false, false, false, false, false, true,
            ])
    }

    /// The pool's event loop has stood still, so the interval is too long. It stays undecided: the group checks again.
    @Test func `an interval that is too long decides nothing`() {
        var growth = ConnectionGrowthRule()
        #expect(answers(at: [1_000, 2_001], of: &growth) == [false, false])
        #expect(growth.isUndecided)
    }

    @Test func `one busy interval begins the count again`() {
        var growth = ConnectionGrowthRule()
        #expect(answers(at: [1_000, 1_100, 1_200], of: &growth) == [false, false, false])
        let busy = [ConnectionGrowthRule.ProcessorTime(running: 100_000_000, waiting: 0)]
        let answer = growth.sampleAndDecide(at: 1_300) { busy }
        #expect(!answer)
        let later = [1_400, 1_500, 1_600].map { now in growth.sampleAndDecide(at: now) { busy } }
        #expect(later == [false, false, true])
    }

    @Test func `a new connection is part of the next interval`() {
        var growth = ConnectionGrowthRule()
        #expect(answers(at: [1_000, 1_100, 1_200], of: &growth) == [false, false, false])
        growth.connectionOpened()
        #expect(answers(at: [1_300, 1_400, 1_500, 1_600], of: &growth) == [false, false, false, true])
    }

    @Test func `without the kernel's counts every connection is permitted`() {
        var growth = ConnectionGrowthRule()
        #expect(growth.sampleAndDecide(at: 1_000) { [] })
    }

    @Test func `a thread that was not counted before begins an interval`() {
        var growth = ConnectionGrowthRule()
        #expect(!growth.sampleAndDecide(at: 1_000) { idle })
        let answers = [1_200, 1_300, 1_400, 1_500].map { now in growth.sampleAndDecide(at: now) { idle + idle } }
        #expect(answers == [false, false, false, true])
    }
}
