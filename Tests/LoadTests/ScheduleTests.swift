import Testing

@testable import carillon_load

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// The open loop by a clock of the test's own.
struct ScheduleTests {
    private func times(_ arrivals: Schedule.Arrivals, rate: Double, seconds: UInt64, seed: UInt64 = 1) -> [UInt64] {
        var schedule = Schedule(rate: rate, arrivals: arrivals, from: second, to: second * (seconds + 1), seed: seed)
        var times: [UInt64] = []
        while let due = schedule.popDue(at: .max) { times.append(due) }
        return times
    }

    @Test func evenRequestsAreAsFarApartAsTheRateSays() {
        let times = times(.even, rate: 400, seconds: 10)
        #expect(times.count == 4_000)
        #expect(zip(times, times.dropFirst()).allSatisfy { (2_499_999...2_500_001).contains($1 - $0) })
    }

    @Test func requestsAtChanceComeAtTheRateAndInBunches() {
        let times = times(.poisson, rate: 1_000, seconds: 100)
        #expect((99_000...101_000).contains(times.count))
        let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) }
        // Of exponential gaps 1/e are longer than their mean, and the most are short.
        let long = Double(gaps.count { $0 > 1e6 }) / Double(gaps.count)
        #expect(abs(long - 0.3679) < 0.01)
        #expect(times == self.times(.poisson, rate: 1_000, seconds: 100))
        #expect(times != self.times(.poisson, rate: 1_000, seconds: 100, seed: 2))
    }

    @Test func nothingIsTakenBeforeItIsDueNorAfterTheEnd() throws {
        var schedule = Schedule(rate: 10, arrivals: .even, from: second, to: 2 * second, seed: 5)
        let first = try #require(schedule.next)
        #expect(schedule.popDue(at: first - 1) == nil)
        #expect(schedule.popDue(at: first) == first)
        #expect(schedule.remaining == 9)
        schedule.end(at: first + second / 2)
        var left = 0
        while schedule.popDue(at: .max) != nil { left += 1 }
        #expect(left == 4)
        #expect((schedule.next, schedule.remaining) == (nil, 0))
    }

    // MARK: A server that stalls

    /// One connection to a server that needs 1 ms for each request, in sequence, and that is idle during the stall.
    private func rehearse(stall: Range<UInt64>, depth: Int, until end: UInt64) -> LoadCounts {
        let window = Window(origin: second, warmUp: 0, duration: 10 * second)
        var counts = LoadCounts(window: window)
        var schedule = Schedule(rate: 100, arrivals: .even, from: window.origin, to: window.end, seed: 1)
        var inFlight: [(request: LoadCounts.PendingRequest, end: UInt64)] = []
        var freeAt: UInt64 = 0
        for now in stride(from: window.origin, to: end, by: Int(millisecond)) {
            for (request, end) in inFlight where end <= now { counts.answered(request, at: end, addressed: 0) }
            inFlight.removeAll { $0.end <= now }
            while inFlight.count < depth, let due = schedule.popDue(at: now) {
                let start = max(now, freeAt)
                freeAt = (stall.contains(start) ? stall.upperBound : start) + millisecond
                inFlight.append((LoadCounts.PendingRequest(operation: .lookup, due: due, sent: now), freeAt))
            }
        }
        for (request, _) in inFlight { counts.abandoned(request, at: end) }
        if let next = schedule.next { counts.abandoned(.lookup, from: next, count: schedule.remaining, at: end) }
        return counts
    }

    @Test func aStallOfASecondIsVisibleInThePercentiles() {
        let lookup = rehearse(stall: 4 * second..<5 * second, depth: 4, until: 13 * second)[.lookup]
        #expect(lookup.answered == 1_000)
        // A tenth of all requests were due in the stall, and waited half a second on average.
        #expect((1...3).contains(lookup.latency.percentile(50) / millisecond))
        #expect((450...620).contains(lookup.latency.percentile(95) / millisecond))
        #expect((950...1_010).contains(lookup.latency.maximum / millisecond))
        // Measured from the time of writing, the stall is nearly invisible: only the requests in flight show it.
        #expect(lookup.service.percentile(99) / millisecond <= 5)
        #expect(lookup.service.maximum / millisecond >= 950)
        // The stall is in the right intervals of a quarter second; requests that were due earlier in it waited longer.
        let worst = lookup.intervals.map { $0.latency.maximum / millisecond }
        #expect(worst[10] <= 12 && worst[12] >= 900 && worst[14] >= 450 && worst[14] < 650 && worst[17] <= 12)
        #expect(lookup.intervals[13..<16].allSatisfy { $0.answered == 0 })
    }

    @Test func anUnansweredRequestCountsWithItsWaitingTime() {
        let lookup = rehearse(stall: 6 * second..<100 * second, depth: 4, until: 13 * second)[.lookup]
        #expect((498...502).contains(lookup.answered))
        #expect(lookup.errors == [LoadCounts.unanswered: 1_000 - lookup.answered])
        #expect(lookup.latency.count == 1_000)
        // The half that was not answered has waited from 2 to 7 seconds.
        #expect((6_800...7_010).contains(lookup.latency.maximum / millisecond))
        #expect((4_300...4_700).contains(lookup.latency.percentile(75) / millisecond))
    }
}

/// The counts of requests by the time at which they were due and answered.
struct LoadCountsTests {
    private let window = Window(origin: second, warmUp: second, duration: 2 * second)

    @Test func warmUpAndEndDoNotCountButTheirAnswersDo() {
        var counts = LoadCounts(window: window)
        let requests = [1.5, 2, 2.5, 3.95, 4].map { seconds in
            let due = UInt64(seconds * 1e9)
            return LoadCounts.PendingRequest(operation: .register, due: due, sent: due)
        }
        for request in requests { counts.answered(request, at: request.due + 600 * millisecond, addressed: 1) }
        let register = counts[.register]
        #expect((register.answered, register.latency.count, register.addressed) == (3, 3, 3))
        // By the time of the answer: those of the warm-up count too, but not those after the end.
        #expect(register.intervals.map(\.answered).reduce(0, +) == 3)
        #expect(register.intervals[1].answered == 1)
        #expect(register.intervals[19].latency.count == 1)
    }

    @Test func aFailedRequestIsCountedAndHasNoLatency() {
        var counts = LoadCounts(window: window)
        let request = LoadCounts.PendingRequest(operation: .sendToken, due: 2 * second, sent: 2 * second)
        counts.failed(request, at: 2 * second + 5, "OVERLOADED")
        counts.failed(request, at: 2 * second + 5, "OVERLOADED")
        counts.failed(request, at: 2 * second + 5, LoadCounts.connectionLost)
        #expect(counts[.sendToken].errors == ["OVERLOADED": 2, "CONNECTION_LOST": 1])
        #expect(counts[.sendToken].latency.count == 0)
        #expect(counts[.sendToken].intervals[0].failed == 3)
        for number in 0..<100 { counts.failed(request, at: 2 * second, "ERROR_\(number)") }
        #expect(counts[.sendToken].errors.count <= 65)
        #expect(counts[.sendToken].errors.values.reduce(0, +) == 103)
    }

    @Test func theCountsOfTwoThreadsAreAdded() {
        var one = LoadCounts(window: window)
        var other = LoadCounts(window: window)
        let request = LoadCounts.PendingRequest(operation: .lookup, due: 2 * second, sent: 2 * second + 7)
        one.answered(request, at: 2 * second + 1_000, addressed: 0)
        one.written(request, lag: 7)
        other.answered(request, at: 2 * second + 3_000, addressed: 0)
        other.failed(request, at: 3 * second, "STALE")
        other.connectionLost()
        one.add(other)
        #expect((one[.lookup].answered, one[.lookup].latency.maximum, one[.lookup].errors) == (2, 3_000, ["STALE": 1]))
        #expect((one.lag.count, one.connectionsLost) == (1, 1))
        #expect(one[.lookup].intervals[0].answered == 2)
    }

    @Test(arguments: [(100, 1), (10_000, 40), (30_000, 60), (600_000, 60), (604_800_000, 168)])
    func thereAreAtMostAHundredIntervals(milliseconds: UInt64, intervals: Int) {
        let window = Window(origin: 0, warmUp: 0, duration: milliseconds * millisecond)
        #expect(window.intervals == intervals)
        #expect(window.interval(of: window.end - 1) == intervals - 1)
        #expect(window.interval(of: window.end) == nil)
    }
}
