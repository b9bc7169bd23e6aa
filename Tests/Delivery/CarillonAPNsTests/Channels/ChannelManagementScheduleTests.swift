import CarillonAPNs
import CarillonCore
import Testing

/// The times at which requests of channel management are sent, sent again and given up.
struct ChannelManagementScheduleTests {
    private var schedule = ChannelManagementSchedule(limits: ChannelManagementSchedule.Limits())

    /// Adds a request, and returns its number.
    private mutating func add(deadline: Uptime? = nil, at now: Uptime) throws -> ChannelManagementSchedule.Number {
        let number = schedule.add(deadline: deadline, at: now)
        return try #require(number)
    }

    @Test mutating func `requests are sent in the order in which they came`() throws {
        #expect(!schedule.needsConnection(at: 1_000))
        let numbers = try (0..<3).map { _ in try add(at: 1_000) }
        #expect(schedule.needsConnection(at: 1_000))
        #expect(schedule.takeWaiting(streams: 0) == [])
        #expect(schedule.takeWaiting(streams: 2) == Array(numbers[..<2]))
        #expect(schedule.takeWaiting(streams: 9) == [numbers[2]])
        #expect(!schedule.needsConnection(at: 1_000))
    }

    @Test mutating func `a request ends once`() throws {
        let number = try add(at: 0)
        #expect(schedule.takeWaiting(streams: -1) == [], "a peer may lower its limit below the streams in use")
        #expect(schedule.takeWaiting(streams: 1) == [number])
        #expect(schedule.requestEnded(number, at: 1_000) == true)
        #expect(schedule.isEmpty)
        #expect(schedule.requestEnded(number, at: 1_000) == false)
    }

    @Test mutating func `requests beyond the limit are refused`() throws {
        var limits = ChannelManagementSchedule.Limits()
        limits.requests = 2
        schedule = ChannelManagementSchedule(limits: limits)
        let first = try add(at: 0)
        _ = try add(at: 0)
        #expect(schedule.add(deadline: nil, at: 0) == nil)
        // Those on their way count too.
        _ = schedule.takeWaiting(streams: 2)
        #expect(schedule.add(deadline: nil, at: 0) == nil)
        #expect(schedule.requestEnded(first, at: 0) == true)
        #expect(schedule.add(deadline: nil, at: 0) != nil)
    }

    @Test mutating func `a request that was not processed is sent three times in all`() throws {
        let number = try add(at: 0)
        let later = try add(at: 0)
        for _ in 1...2 {
            #expect(schedule.takeWaiting(streams: 1) == [number], "before the requests that came later")
            #expect(schedule.requestNotProcessed(number) == true)
        }
        #expect(schedule.takeWaiting(streams: 1) == [number])
        #expect(schedule.requestNotProcessed(number) == false)
        #expect(schedule.requestEnded(number, at: 0) == true)
        #expect(schedule.requestNotProcessed(number) == false, "it has ended")
        #expect(schedule.takeWaiting(streams: 1) == [later])
    }

    @Test mutating func `a request is given up at its deadline`() throws {
        var limits = ChannelManagementSchedule.Limits()
        limits.requestTimeoutMilliseconds = 20_000
        schedule = ChannelManagementSchedule(limits: limits)
        let sent = try add(deadline: 100, at: 0)
        #expect(schedule.takeWaiting(streams: 1) == [sent])
        let waiting = try add(at: 0)
        let impatient = try add(deadline: 500, at: 0)
        #expect(schedule.overdue(at: 500) == [])
        let late = schedule.overdue(at: 501).map { "\($0.number) late: \($0.isLate), sent: \($0.wasSent)" }
        #expect(late == ["\(impatient) late: true, sent: false"])
        #expect(schedule.requestEnded(impatient, at: 501) == true)
        #expect(schedule.overdue(at: 19_999) == [], "the deadline of a request that was sent does not count")
        let overdue = schedule.overdue(at: 20_000).sorted { $0.number < $1.number }
        #expect(overdue.map { "\($0.number) \($0.wasSent)" } == ["\(sent) true", "\(waiting) false"])
    }

    @Test mutating func `connections are made once a second`() throws {
        _ = schedule.add(deadline: nil, at: 5_000)
        schedule.connectionBegan(at: 5_000)
        #expect(!schedule.needsConnection(at: 5_999))
        #expect(schedule.needsConnection(at: 6_000))
    }

    @Test mutating func `a connection must have settings within fifteen seconds`() {
        _ = schedule.add(deadline: nil, at: 5_000)
        schedule.connectionBegan(at: 5_000)
        #expect(!schedule.isSettingsOverdue(at: 19_999))
        #expect(schedule.isSettingsOverdue(at: 20_000))
        #expect(schedule.unsent.count == 1, "its request waits for another")
    }

    @Test mutating func `a connection without requests is closed after ten minutes`() throws {
        let number = try add(at: 1_000)
        _ = schedule.takeWaiting(streams: 1)
        #expect(!schedule.isIdle(at: 900_000))
        #expect(schedule.requestEnded(number, at: 900_000) == true)
        #expect(!schedule.isIdle(at: 1_499_999))
        #expect(schedule.isIdle(at: 1_500_000))
    }
}
