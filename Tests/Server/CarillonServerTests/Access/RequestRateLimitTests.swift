import CarillonCore
import Testing

@testable import CarillonServer

/// The requests of a principal over all its connections: each result is the milliseconds to wait, or nil.
struct RequestRateLimitTests {
    @Test func `a principal has one rate limit for all its connections`() {
        let limit = RequestRateLimit()
        let busy = Principal(name: "busy", grants: [], requestsPerSecond: 2)
        #expect(limit.takeRequest(of: busy, now: 0) == nil)
        #expect(limit.takeRequest(of: busy, now: 0) == nil)
        #expect(limit.takeRequest(of: busy, now: 0) == 500)
        #expect(limit.takeRequest(of: Principal(name: "other", grants: [], requestsPerSecond: 2), now: 0) == nil)
        #expect(limit.takeRequest(of: Principal(name: "free", grants: []), now: 0) == nil)
        #expect(limit.takeRequest(of: busy, now: 500) == nil)
        #expect(limit.takeRequest(of: busy, now: 500) == 500)
    }
}
