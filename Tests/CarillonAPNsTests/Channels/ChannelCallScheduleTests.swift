import CarillonAPNs
import CarillonCore
import Testing

/// The times at which calls of channel management are sent, sent again and given up.
struct ChannelCallScheduleTests {
    private var schedule = ChannelCallSchedule(limits: ChannelCallSchedule.Limits())

    /// Adds a call, and returns its number.
    private mutating func add(deadline: Uptime? = nil, at now: Uptime) throws -> ChannelCallSchedule.Number {
        let number = schedule.add(deadline: deadline, at: now)
        return try #require(number)
    }

    @Test mutating func callsAreSentInTheOrderInWhichTheyCame() throws {
        #expect(!schedule.needsConnection(at: 1_000))
        let numbers = try (0..<3).map { _ in try add(at: 1_000) }
        #expect(schedule.needsConnection(at: 1_000))
        #expect(schedule.takeWaiting(streams: 0) == [])
        #expect(schedule.takeWaiting(streams: 2) == Array(numbers[..<2]))
        #expect(schedule.takeWaiting(streams: 9) == [numbers[2]])
        #expect(!schedule.needsConnection(at: 1_000))
    }

    @Test mutating func aCallEndsOnce() throws {
        let number = try add(at: 0)
        #expect(schedule.takeWaiting(streams: -1) == [], "a peer may lower its limit below the streams in use")
        #expect(schedule.takeWaiting(streams: 1) == [number])
        #expect(schedule.callEnded(number, at: 1_000) == true)
        #expect(schedule.isEmpty)
        #expect(schedule.callEnded(number, at: 1_000) == false)
    }

    @Test mutating func callsBeyondTheLimitAreRefused() throws {
        var limits = ChannelCallSchedule.Limits()
        limits.calls = 2
        schedule = ChannelCallSchedule(limits: limits)
        let first = try add(at: 0)
        _ = try add(at: 0)
        #expect(schedule.add(deadline: nil, at: 0) == nil)
        // Those on their way count too.
        _ = schedule.takeWaiting(streams: 2)
        #expect(schedule.add(deadline: nil, at: 0) == nil)
        #expect(schedule.callEnded(first, at: 0) == true)
        #expect(schedule.add(deadline: nil, at: 0) != nil)
    }

    @Test mutating func aCallThatWasNotProcessedIsSentThreeTimesInAll() throws {
        let number = try add(at: 0)
        let later = try add(at: 0)
        for _ in 1...2 {
            #expect(schedule.takeWaiting(streams: 1) == [number], "before the calls that came later")
            #expect(schedule.callNotProcessed(number) == true)
        }
        #expect(schedule.takeWaiting(streams: 1) == [number])
        #expect(schedule.callNotProcessed(number) == false)
        #expect(schedule.callEnded(number, at: 0) == true)
        #expect(schedule.callNotProcessed(number) == false, "it has ended")
        #expect(schedule.takeWaiting(streams: 1) == [later])
    }

    @Test mutating func aCallIsGivenUpAtItsDeadline() throws {
        var limits = ChannelCallSchedule.Limits()
        limits.callMilliseconds = 20_000
        schedule = ChannelCallSchedule(limits: limits)
        let sent = try add(deadline: 100, at: 0)
        #expect(schedule.takeWaiting(streams: 1) == [sent])
        let waiting = try add(at: 0)
        let impatient = try add(deadline: 500, at: 0)
        #expect(schedule.overdue(at: 500) == [])
        let late = schedule.overdue(at: 501).map { "\($0.number) late: \($0.isLate), sent: \($0.wasSent)" }
        #expect(late == ["\(impatient) late: true, sent: false"])
        #expect(schedule.callEnded(impatient, at: 501) == true)
        #expect(schedule.overdue(at: 19_999) == [], "the deadline of a call that was sent does not count")
        let overdue = schedule.overdue(at: 20_000).sorted { $0.number < $1.number }
        #expect(overdue.map { "\($0.number) \($0.wasSent)" } == ["\(sent) true", "\(waiting) false"])
    }

    @Test mutating func connectionsAreMadeOnceASecond() throws {
        _ = schedule.add(deadline: nil, at: 5_000)
        schedule.connectionBegan(at: 5_000)
        #expect(!schedule.needsConnection(at: 5_999))
        #expect(schedule.needsConnection(at: 6_000))
    }

    @Test mutating func aConnectionMustHaveSettingsWithinFifteenSeconds() {
        _ = schedule.add(deadline: nil, at: 5_000)
        schedule.connectionBegan(at: 5_000)
        #expect(!schedule.isSettingsOverdue(at: 19_999))
        #expect(schedule.isSettingsOverdue(at: 20_000))
        #expect(schedule.unsent.count == 1, "its call waits for another")
    }

    @Test mutating func aConnectionWithoutCallsIsClosedAfterTenMinutes() throws {
        let number = try add(at: 1_000)
        _ = schedule.takeWaiting(streams: 1)
        #expect(!schedule.isIdle(at: 900_000))
        #expect(schedule.callEnded(number, at: 900_000) == true)
        #expect(!schedule.isIdle(at: 1_499_999))
        #expect(schedule.isIdle(at: 1_500_000))
    }
}
