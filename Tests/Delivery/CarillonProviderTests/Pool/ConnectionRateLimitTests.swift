import CarillonCore
import CarillonProvider
import Testing

/// The limit of the pushes that one connection may send in an interval.
struct ConnectionRateLimitTests {
    @Test func `a connection without a limit has no allowance`() {
        var limit = ConnectionRateLimit()
        limit.pushesSent(1_000, at: 5)
        #expect(limit.allowance(at: 5) == nil)
    }

    @Test func `a rate limit begins again with each interval`() {
        var limit = ConnectionRateLimit()
        limit.set(10, intervalMilliseconds: 1_000)
        #expect(limit.allowance(at: 2_000) == 10)
        limit.pushesSent(8, at: 2_000)
        #expect(limit.allowance(at: 2_999) == 2)
        limit.pushesSent(5, at: 2_999)
        #expect(limit.allowance(at: 2_999) == 0, "more were sent than it allows")
        #expect(limit.allowance(at: 3_000) == 10)
        #expect(limit.allowance(at: 2_999) == 0, "to ask changes nothing")
    }
}
