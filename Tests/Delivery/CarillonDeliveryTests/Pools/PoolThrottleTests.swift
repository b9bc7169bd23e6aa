import CarillonCore
import Testing

@testable import CarillonDelivery

/// While a provider is busy a pool slows down, and is soon as fast as before when that is over.
struct PoolThrottleTests {
    /// Runs one interval: its answers come, and the next one begins. Returns what is allowed at its beginning.
    private func interval(_ throttle: inout PoolThrottle, _ now: inout Uptime, answers: Int, busy: Int) -> Int? {
        let allowed = throttle.updateAllowance(at: now)
        throttle.providerAnswered(answers, busy: busy, at: now)
        now += PoolThrottle.intervalMilliseconds
        return allowed
    }

    @Test func `the rate falls to a fourth in each busy interval and doubles again`() {
        var now: Uptime = 5
        var throttle = PoolThrottle(at: now)
        let outage = (0..<6).map { _ in interval(&throttle, &now, answers: 1_000, busy: 900) }
        #expect(outage == [nil, 250, 62, 15, 10, 10])
        let calm = (0..<7).map { _ in interval(&throttle, &now, answers: 10, busy: 5) }
        #expect(calm == [10, 20, 40, 80, 160, 320, 640])
        #expect(!throttle.isOver)
        _ = throttle.updateAllowance(at: now)
        #expect(throttle.isOver)
    }

    @Test(arguments: [(answers: 19, busy: 19), (answers: 1_000, busy: 500), (answers: 1_000, busy: 20)])
    func `a few busy answers are no outage`(_ answers: Int, _ busy: Int) {
        var now: Uptime = 5
        var throttle = PoolThrottle(at: now)
        _ = interval(&throttle, &now, answers: answers, busy: busy)
        #expect(throttle.updateAllowance(at: now) == nil)
        #expect(throttle.isOver)
    }

    @Test func `an interval without answers changes nothing`() {
        var now: Uptime = 5
        var throttle = PoolThrottle(at: now)
        _ = interval(&throttle, &now, answers: 400, busy: 400)
        for _ in 0..<9 { #expect(interval(&throttle, &now, answers: 0, busy: 0) == 100) }
    }

    @Test func `handed-out pushes reduce the allowance of the interval`() {
        var now: Uptime = 5
        var throttle = PoolThrottle(at: now)
        _ = interval(&throttle, &now, answers: 400, busy: 400)
        #expect(throttle.updateAllowance(at: now) == 100)
        throttle.deliveriesHandedOut(60)
        #expect(throttle.updateAllowance(at: now) == 40)
        throttle.deliveriesHandedOut(41)
        #expect(throttle.updateAllowance(at: now) == 0)
        #expect(throttle.isSpent)
        #expect(throttle.intervalEnd == now + PoolThrottle.intervalMilliseconds)
    }
}
