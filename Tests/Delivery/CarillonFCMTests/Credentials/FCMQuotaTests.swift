import CarillonCore
import CarillonFCM
import Testing

/// The messages that one project may send, second by second: how the rate grows, and what a refusal does to it. Each
/// test takes all that it may, and counts.
struct FCMQuotaTests {
    /// Takes all that may be sent, every millisecond, and returns the number of messages.
    private func drain(_ quota: inout FCMQuota, from: UInt64, milliseconds: UInt64) -> Int {
        (from..<from + milliseconds).reduce(0) { $0 + quota.take(upTo: .max, at: Uptime(milliseconds: $1)) }
    }

    @Test func `new traffic grows over a minute`() {
        var quota = FCMQuota(now: 0)
        let seconds = (0..<70).map { drain(&quota, from: UInt64($0) * 1_000, milliseconds: 1_000) }
        #expect((100...400).contains(seconds[0]), "the first second: \(seconds[0])")
        #expect((4_500...5_500).contains(seconds[30]), "half a minute later: \(seconds[30])")
        #expect((9_400...9_600).contains(seconds[65]), "95 of 100 of 10,000: \(seconds[65])")
        for (one, next) in zip(seconds, seconds.dropFirst()) { #expect(next >= one - 1) }
    }

    @Test func `a minute has at most the quota`() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        #expect(drain(&quota, from: 65_000, milliseconds: 60_000) <= 600_000)
    }

    @Test func `unused messages are not saved for a burst`() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        #expect(quota.take(upTo: .max, at: 300_000) <= 2_500)
    }

    @Test func `a pause does not raise the rate`() {
        var quota = FCMQuota(now: 0)
        #expect(quota.take(upTo: 1, at: 0) == 1)
        _ = quota.take(upTo: .max, at: 120_000)
        #expect(quota.currentMessagesPerMinute < 30_000)
    }

    @Test func `a refusal pauses the project and halves its rate`() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        let full = quota.currentMessagesPerMinute
        quota.exceeded(retryAfterMilliseconds: nil, handedOutAt: 64_990, at: 65_000)
        // The messages that were in flight are refused too.
        quota.exceeded(retryAfterMilliseconds: nil, handedOutAt: 64_995, at: 65_050)
        #expect(drain(&quota, from: 65_000, milliseconds: 60_000) == 0)
        #expect(quota.nextTime(after: 70_000) == 125_000)
        #expect((full / 2 - 100...full / 2 + 100).contains(quota.currentMessagesPerMinute))
        #expect((3_500...6_000).contains(drain(&quota, from: 125_000, milliseconds: 1_000)))
        // One that was sent after the delay halves it again.
        quota.exceeded(retryAfterMilliseconds: 2_000, handedOutAt: 125_500, at: 126_000)
        #expect(quota.nextTime(after: 126_000) == 128_000)
    }

    @Test func `the Retry-After of FCM is obeyed within a bound`() {
        var quota = FCMQuota(now: 0)
        quota.exceeded(retryAfterMilliseconds: .max, handedOutAt: 0, at: 1_000)
        #expect(quota.nextTime(after: 1_000) == 601_000)
        var other = FCMQuota(now: 0)
        other.exceeded(retryAfterMilliseconds: 7_000, handedOutAt: 0, at: 1_000)
        other.exceeded(retryAfterMilliseconds: 9_000, handedOutAt: 0, at: 2_000)
        #expect(other.nextTime(after: 2_000) == 11_000, "the longer of two delays")
    }

    @Test func `traffic after a long pause grows as new traffic`() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        #expect((0...400).contains(drain(&quota, from: 665_000, milliseconds: 1_000)))
    }

    @Test func `messages that were not written are given back`() {
        var quota = FCMQuota(now: 0)
        #expect(quota.take(upTo: 5, at: 0) == 1)
        #expect(quota.take(upTo: 5, at: 0) == 0)
        #expect(quota.nextTime(after: 0) > 0)
        quota.giveBack(1)
        #expect(quota.take(upTo: 5, at: 0) == 1)
        quota.giveBack(-4)
        #expect(quota.take(upTo: 5, at: 0) == 0)
    }

    @Test func `another quota holds at once if it is lower and grows if it is higher`() {
        var quota = FCMQuota(now: 0)
        _ = drain(&quota, from: 0, milliseconds: 65_000)
        quota.setQuota(messagesPerMinute: 60_000)
        #expect((900...960).contains(drain(&quota, from: 65_000, milliseconds: 1_000)))
        quota.setQuota(messagesPerMinute: 600_000)
        #expect((900...1_200).contains(drain(&quota, from: 66_000, milliseconds: 1_000)))
        _ = drain(&quota, from: 67_000, milliseconds: 60_000)
        #expect((9_400...9_600).contains(drain(&quota, from: 127_000, milliseconds: 1_000)))
    }

    @Test func `extreme limits do not trap`() {
        var limits = FCMQuota.Limits()
        limits.messagesPerMinute = 0
        limits.usedFraction = -1
        limits.rampMilliseconds = 0
        var quota = FCMQuota(limits: limits, now: 0)
        _ = quota.take(upTo: 1, at: .max)
        _ = quota.nextTime(after: .max)
        quota.exceeded(retryAfterMilliseconds: .max, handedOutAt: .max, at: .max)
    }
}
