import CarillonAPNs
import CarillonCore
import Testing

/// The times at which calls of channel management are sent, sent again and given up.
struct ChannelCallScheduleTests {
    /// A schedule that an expectation may change.
    private final class Schedule {
        private var schedule: ChannelCallSchedule

        init(_ limits: ChannelCallSchedule.CallLimits) { schedule = ChannelCallSchedule(limits: limits) }

        var isEmpty: Bool { schedule.isEmpty }
        var unsent: [ChannelCallSchedule.Number] { schedule.unsent }
        func add(deadline: Uptime?, at now: Uptime) -> ChannelCallSchedule.Number? {
            schedule.add(deadline: deadline, at: now)
        }
        func needsConnection(at now: Uptime) -> Bool { schedule.needsConnection(at: now) }
        func takeWaiting(streams: Int) -> [ChannelCallSchedule.Number] { schedule.takeWaiting(streams: streams) }
        func callNotProcessed(_ number: ChannelCallSchedule.Number) -> Bool { schedule.callNotProcessed(number) }
        func callEnded(_ number: ChannelCallSchedule.Number, at now: Uptime) -> Bool {
            schedule.callEnded(number, at: now)
        }
        func connectionBegan(at now: Uptime) { schedule.connectionBegan(at: now) }
        func isSettingsOverdue(at now: Uptime) -> Bool { schedule.isSettingsOverdue(at: now) }
        func overdue(at now: Uptime) -> [ChannelCallSchedule.Overdue] { schedule.overdue(at: now) }
        func isIdle(at now: Uptime) -> Bool { schedule.isIdle(at: now) }
    }

    private func schedule(_ adjust: (inout ChannelCallSchedule.CallLimits) -> Void = { _ in }) -> Schedule {
        var limits = ChannelCallSchedule.CallLimits()
        adjust(&limits)
        return Schedule(limits)
    }

    @Test func callsAreSentInTheOrderInWhichTheyCame() throws {
        let schedule = self.schedule()
        #expect(!schedule.needsConnection(at: 1_000))
        let numbers = try (0..<3).map { _ in try #require(schedule.add(deadline: nil, at: 1_000)) }
        #expect(schedule.needsConnection(at: 1_000))
        let sent = [0, 2, -1, 9].map { schedule.takeWaiting(streams: $0) }
        #expect(sent == [[], Array(numbers[..<2]), [], [numbers[2]]])
        #expect(!schedule.needsConnection(at: 1_000))
        for number in numbers { #expect(schedule.callEnded(number, at: 1_000)) }
        #expect(schedule.isEmpty, "a call ends once")
        #expect(!schedule.callEnded(numbers[0], at: 1_000), "a call ends once")
    }

    @Test func callsBeyondTheLimitAreRefused() throws {
        let schedule = self.schedule { $0.calls = 2 }
        let first = try #require(schedule.add(deadline: nil, at: 0))
        #expect(schedule.add(deadline: nil, at: 0) != nil)
        #expect(schedule.add(deadline: nil, at: 0) == nil)
        // Those on their way count too.
        _ = schedule.takeWaiting(streams: 2)
        #expect(schedule.add(deadline: nil, at: 0) == nil)
        #expect(schedule.callEnded(first, at: 0))
        #expect(schedule.add(deadline: nil, at: 0) != nil)
    }

    @Test func aCallThatWasNotProcessedIsSentAgainThreeTimesInAll() throws {
        let schedule = self.schedule()
        let numbers = try (0..<2).map { _ in try #require(schedule.add(deadline: nil, at: 0)) }
        let (number, later) = (numbers[0], numbers[1])
        for _ in 1...2 {
            #expect(schedule.takeWaiting(streams: 1) == [number], "before the calls that came later")
            #expect(schedule.callNotProcessed(number))
        }
        #expect(schedule.takeWaiting(streams: 1) == [number])
        #expect(!schedule.callNotProcessed(number))
        #expect(schedule.callEnded(number, at: 0))
        #expect(!schedule.callNotProcessed(number), "it has ended")
        #expect(schedule.takeWaiting(streams: 1) == [later])
    }

    @Test func aCallIsGivenUpAtItsDeadline() throws {
        let schedule = self.schedule { $0.callMilliseconds = 20_000 }
        let sent = try #require(schedule.add(deadline: 100, at: 0))
        #expect(schedule.takeWaiting(streams: 1) == [sent])
        let deadlines: [Uptime?] = [nil, 500]
        let added = try deadlines.map { try #require(schedule.add(deadline: $0, at: 0)) }
        let (waiting, impatient) = (added[0], added[1])
        #expect(schedule.overdue(at: 500) == [])
        let late = schedule.overdue(at: 501).map { "\($0.number) late: \($0.isLate), sent: \($0.wasSent)" }
        #expect(late == ["\(impatient) late: true, sent: false"])
        #expect(schedule.callEnded(impatient, at: 501))
        #expect(schedule.overdue(at: 19_999) == [], "the deadline of a call that was sent does not count")
        let overdue = schedule.overdue(at: 20_000).sorted { $0.number < $1.number }
        #expect(overdue.map { "\($0.number) \($0.wasSent)" } == ["\(sent) true", "\(waiting) false"])
    }

    @Test func connectionsAreMadeOnceASecond() throws {
        let schedule = self.schedule()
        _ = schedule.add(deadline: nil, at: 5_000)
        schedule.connectionBegan(at: 5_000)
        #expect(!schedule.needsConnection(at: 5_999))
        #expect(schedule.needsConnection(at: 6_000))
        #expect(!schedule.isSettingsOverdue(at: 19_999))
        #expect(schedule.isSettingsOverdue(at: 20_000))
        #expect(schedule.unsent.count == 1)
    }

    @Test func aConnectionWithoutCallsIsClosedAfterTenMinutes() throws {
        let schedule = self.schedule()
        let number = try #require(schedule.add(deadline: nil, at: 1_000))
        _ = schedule.takeWaiting(streams: 1)
        #expect(!schedule.isIdle(at: 900_000))
        #expect(schedule.callEnded(number, at: 900_000))
        #expect(!schedule.isIdle(at: 1_499_999))
        #expect(schedule.isIdle(at: 1_500_000))
    }
}
