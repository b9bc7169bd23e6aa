import CarillonCore
import Testing

@testable import CarillonTransport

/// The limit of the log: ten lines of a kind in a minute; the next one says how many were left out.
struct LineRateLimitTests {
    @Test func `lines beyond the rate are counted`() {
        var limit = LineRateLimit()
        func take(_ kind: String, at now: Uptime) -> Int? { limit.admitLine(of: kind, at: now) }
        for _ in 0..<LineRateLimit.maximumLines { #expect(take("a", at: 1_000) == 0) }
        for _ in 0..<7 { #expect(take("a", at: 60_999) == nil) }
        #expect(take("b", at: 60_999) == 0, "other lines are not affected")
        #expect(take("a", at: 61_000) == 7)
        #expect(take("a", at: 61_000) == 0)
    }

    @Test func `the kinds of lines are bounded`() {
        var limit = LineRateLimit()
        var written = 0
        for kind in 0..<1_000 where limit.admitLine(of: "kind \(kind)", at: 0) != nil { written += 1 }
        #expect(written < 32 + 2 * LineRateLimit.maximumLines)
    }
}
