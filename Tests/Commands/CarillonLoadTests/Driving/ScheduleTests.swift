import Testing

@testable import carillon_load

private let second: UInt64 = 1_000_000_000
private let millisecond: UInt64 = 1_000_000

/// The open loop by a clock of the test's own.
struct ScheduleTests {
    private func makeTimes(_ arrivals: Schedule.Distribution, rate: Double, seconds: UInt64, seed: UInt64 = 1)
        -> [UInt64]
    {
        var schedule = Schedule(
            rate: rate, arrivals: arrivals, fromNanoseconds: second, toNanoseconds: second * (seconds + 1), seed: seed)
        var times: [UInt64] = []
        while let due = schedule.popDue(atNanoseconds: .max) { times.append(due) }
        return times
    }

    @Test func `even requests are as far apart as the rate says`() {
        let times = makeTimes(.even, rate: 400, seconds: 10)
        #expect(times.count == 4_000)
        #expect(zip(times, times.dropFirst()).allSatisfy { (2_499_999...2_500_001).contains($1 - $0) })
    }

    @Test func `random requests come at the rate and in groups`() {
        let times = makeTimes(.poisson, rate: 1_000, seconds: 100)
        #expect((99_000...101_000).contains(times.count))
        let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) }
        // Of exponential gaps 1/e are longer than their mean, and the most are short.
        let long = Double(gaps.count { $0 > 1e6 }) / Double(gaps.count)
        #expect(abs(long - 0.3679) < 0.01)
        #expect(times == makeTimes(.poisson, rate: 1_000, seconds: 100))
        #expect(times != makeTimes(.poisson, rate: 1_000, seconds: 100, seed: 2))
    }

    @Test func `no request is taken before it is due or after the end`() throws {
        var schedule = Schedule(rate: 10, arrivals: .even, fromNanoseconds: second, toNanoseconds: 2 * second, seed: 5)
        let first = try #require(schedule.nextDueNanoseconds)
        #expect(schedule.popDue(atNanoseconds: first - 1) == nil)
        #expect(schedule.popDue(atNanoseconds: first) == first)
        #expect(schedule.expectedRemainingCount == 9)
        schedule.end(atNanoseconds: first + second / 2)
        var left = 0
        while schedule.popDue(atNanoseconds: .max) != nil { left += 1 }
        #expect(left == 4)
        #expect(schedule.nextDueNanoseconds == nil)
        #expect(schedule.expectedRemainingCount == 0)
    }

    // MARK: A server that stalls

    /// Rehearses one connection to a server that needs 1 ms for each request, in sequence, and that is idle during the
    /// stall.
    private func rehearse(stall: Range<UInt64>, depth: Int, until end: UInt64) -> LoadCounts {
        let measuredTime = MeasuredTime(
            loadStartNanoseconds: second, warmUpNanoseconds: 0, durationNanoseconds: 10 * second)
        var counts = LoadCounts(measuredTime: measuredTime)
        var schedule = Schedule(
            rate: 100, arrivals: .even, fromNanoseconds: measuredTime.loadStartNanoseconds,
            toNanoseconds: measuredTime.endNanoseconds, seed: 1)
        var inFlight: [(request: LoadCounts.PendingRequest, end: UInt64)] = []
        var freeAt: UInt64 = 0
        for now in stride(from: measuredTime.loadStartNanoseconds, to: end, by: Int(millisecond)) {
            for (request, end) in inFlight where end <= now {
                counts.requestAnswered(request, atNanoseconds: end, addressed: 0)
            }
            inFlight.removeAll { $0.end <= now }
            while inFlight.count < depth, let due = schedule.popDue(atNanoseconds: now) {
                let start = max(now, freeAt)
                freeAt = (stall.contains(start) ? stall.upperBound : start) + millisecond
                inFlight.append(
                    (LoadCounts.PendingRequest(operation: .lookup, dueNanoseconds: due, sentNanoseconds: now), freeAt))
            }
        }
        for (request, _) in inFlight { counts.requestAbandoned(request, atNanoseconds: end) }
        if let next = schedule.nextDueNanoseconds {
            counts.requestsAbandoned(
                .lookup, fromNanoseconds: next, count: schedule.expectedRemainingCount, atNanoseconds: end)
        }
        return counts
    }

    @Test func `a stall of a second is visible in the percentiles`() {
        let lookup = rehearse(stall: 4 * second..<5 * second, depth: 4, until: 13 * second)[.lookup]
        #expect(lookup.answered == 1_000)
        // A tenth of all requests were due in the stall, and waited half a second on average.
        let latency = lookup.latency
        let found = [latency.percentile(50), latency.percentile(95), latency.maximum].map { $0 / millisecond }
        #expect(zip(found, [1...3, 450...620, 950...1_010]).allSatisfy { $1.contains($0) }, "\(found)")
        // Measured from the time of writing, the stall is nearly invisible: only the requests in flight show it.
        #expect(lookup.serviceTime.percentile(99) / millisecond <= 5)
        #expect(lookup.serviceTime.maximum / millisecond >= 950)
        // The stall is in the right intervals of a quarter second; requests that were due earlier in it waited longer.
        let worst = lookup.intervals.map { $0.latency.maximum / millisecond }
        #expect(max(worst[10], worst[17]) <= 12)
        #expect(worst[12] >= 900)
        #expect((450..<650).contains(worst[14]))
        #expect(lookup.intervals[13..<16].allSatisfy { $0.answered == 0 })
    }

    @Test func `an unanswered request counts with its waiting time`() {
        let lookup = rehearse(stall: 6 * second..<100 * second, depth: 4, until: 13 * second)[.lookup]
        #expect((498...502).contains(lookup.answered))
        #expect(lookup.errors == [LoadCounts.unanswered: 1_000 - lookup.answered])
        #expect(lookup.latency.count == 1_000)
        // The half that was not answered has waited from 2 to 7 seconds.
        #expect((6_800...7_010).contains(lookup.latency.maximum / millisecond))
        #expect((4_300...4_700).contains(lookup.latency.percentile(75) / millisecond))
    }
}
