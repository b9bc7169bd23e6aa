import CarillonCore
import Testing

@testable import CarillonDelivery

/// The delays before retries, and the end of the retries.
struct RetryPolicyTests {
    static let day: UInt64 = 24 * 3_600_000

    /// An attempt without a final answer, and the decision after it.
    struct Row: Sendable {
        var backoff: DeliveryBackoff
        var attempt: UInt8
        var age: UInt64 = 0
        var isOnlyForNow = false
        var requestedMilliseconds: UInt64?
        var random = 1.0
        var decision: RetryDecision
    }

    private static let unknown = RetryPolicy().unknown
    private static let busy = ProviderBackoffs().busy
    private static let throttled = ProviderBackoffs().throttled

    @Test(arguments: [
        // Half of the delay is fixed, half is random.
        Row(backoff: unknown, attempt: 1, random: 0, decision: .retry(afterMilliseconds: 250)),
        Row(backoff: unknown, attempt: 1, random: 0.5, decision: .retry(afterMilliseconds: 375)),
        Row(backoff: unknown, attempt: 1, decision: .retry(afterMilliseconds: 500)),
        Row(backoff: unknown, attempt: 2, decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: unknown, attempt: 7, decision: .retry(afterMilliseconds: 32_000)),
        Row(backoff: unknown, attempt: 8, decision: .retry(afterMilliseconds: 64_000)),
        Row(backoff: unknown, attempt: 11, decision: .retry(afterMilliseconds: 512_000)),
        Row(backoff: unknown, attempt: 12, decision: .giveUp),
        Row(backoff: unknown, attempt: .max, decision: .giveUp),
        // Randomness outside its bounds is held at them.
        Row(backoff: unknown, attempt: 1, random: -5, decision: .retry(afterMilliseconds: 250)),
        Row(backoff: unknown, attempt: 1, random: 5, decision: .retry(afterMilliseconds: 500)),
        Row(backoff: throttled, attempt: 1, decision: .retry(afterMilliseconds: 30_000)),
        Row(backoff: throttled, attempt: 11, decision: .retry(afterMilliseconds: 3_600_000)),
        Row(backoff: busy, attempt: 1, decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: busy, attempt: 11, decision: .retry(afterMilliseconds: 900_000)),
        // Attempts at busy servers have reached no device: the horizon ends them, not their number.
        Row(backoff: busy, attempt: 12, decision: .retry(afterMilliseconds: 900_000)),
        Row(backoff: busy, attempt: 199, decision: .retry(afterMilliseconds: 900_000)),
        Row(backoff: busy, attempt: 200, decision: .giveUp),
        Row(backoff: throttled, attempt: 40, decision: .giveUp),
        // Retry-After lengthens a delay and never shortens it.
        Row(backoff: busy, attempt: 1, requestedMilliseconds: 120_000, decision: .retry(afterMilliseconds: 120_000)),
        Row(backoff: busy, attempt: 11, requestedMilliseconds: 1, decision: .retry(afterMilliseconds: 900_000)),
        Row(backoff: busy, attempt: 1, requestedMilliseconds: day, decision: .retry(afterMilliseconds: day)),
        Row(backoff: busy, attempt: 1, age: 1, requestedMilliseconds: day, decision: .giveUp),
        Row(backoff: busy, attempt: 1, requestedMilliseconds: .max, decision: .retry(afterMilliseconds: day)),
        // The horizon counts the delay too.
        Row(backoff: busy, attempt: 1, age: day - 1_000, decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: busy, attempt: 1, age: day - 999, decision: .giveUp),
        Row(backoff: busy, attempt: 1, age: .max, decision: .giveUp),
        // What the provider would not store is not tried late.
        Row(
            backoff: busy, attempt: 1, age: 29_000, isOnlyForNow: true,
            decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: busy, attempt: 1, age: 29_001, isOnlyForNow: true, decision: .giveUp),
        Row(backoff: throttled, attempt: 1, age: 1, isOnlyForNow: true, decision: .giveUp),
    ])
    func `a retry is planned or given up by attempt, age and answer`(_ row: Row) {
        let decision = RetryPolicy().decide(
            RetriedPush(ageMilliseconds: row.age, isOnlyForNow: row.isOnlyForNow), with: row.backoff,
            after: row.attempt, requestedMilliseconds: row.requestedMilliseconds, random: row.random)
        #expect(decision == row.decision)
    }

    /// A push that was held back and not sent, and the decision about it.
    struct HeldRow: Sendable {
        var delay: UInt64
        var age: UInt64 = 0
        var isOnlyForNow = false
        var random = 1.0
        var decision: RetryDecision
    }

    @Test(arguments: [
        // Up to a quarter is added.
        HeldRow(delay: 8_000, random: 0, decision: .retry(afterMilliseconds: 8_000)),
        HeldRow(delay: 8_000, random: 0.5, decision: .retry(afterMilliseconds: 9_000)),
        HeldRow(delay: 8_000, decision: .retry(afterMilliseconds: 10_000)),
        HeldRow(delay: 0, decision: .retry(afterMilliseconds: 0)),
        // Randomness outside its bounds is held at them.
        HeldRow(delay: 8_000, random: -5, decision: .retry(afterMilliseconds: 8_000)),
        HeldRow(delay: 8_000, random: 5, decision: .retry(afterMilliseconds: 10_000)),
        // What was added does not end a push that the least delay does not end.
        HeldRow(delay: 8_000, age: day - 10_000, decision: .retry(afterMilliseconds: 10_000)),
        HeldRow(delay: 8_000, age: day - 9_999, decision: .retry(afterMilliseconds: 8_000)),
        HeldRow(delay: 8_000, age: day - 8_000, decision: .retry(afterMilliseconds: 8_000)),
        HeldRow(delay: 8_000, age: day - 7_999, decision: .giveUp),
        HeldRow(delay: 8_000, age: 22_000, isOnlyForNow: true, decision: .retry(afterMilliseconds: 8_000)),
        HeldRow(delay: 8_000, age: 22_001, isOnlyForNow: true, decision: .giveUp),
        // No delay is longer than the horizon.
        HeldRow(delay: .max, decision: .retry(afterMilliseconds: day)),
        HeldRow(delay: .max, age: 1, decision: .giveUp),
        HeldRow(delay: 1, age: .max, decision: .giveUp),
    ])
    func `a push that is held back is delayed or given up by its age`(_ row: HeldRow) {
        let push = RetriedPush(ageMilliseconds: row.age, isOnlyForNow: row.isOnlyForNow)
        #expect(RetryPolicy().decideHeldBack(push, milliseconds: row.delay, random: row.random) == row.decision)
    }

    /// A message that was accepted at 1,000, and the time at which it expires as a phone call.
    struct PhoneCallRow: Sendable {
        var type: PushType
        var expiration = Expiration.unspecified
        var end: Timestamp?
    }

    @Test(arguments: [
        PhoneCallRow(type: .voip, end: Timestamp(milliseconds: 31_000)),
        PhoneCallRow(type: .pushtotalk, end: Timestamp(milliseconds: 31_000)),
        PhoneCallRow(type: .voip, expiration: .once, end: Timestamp(milliseconds: 31_000)),
        PhoneCallRow(type: .voip, expiration: .at(seconds: 1_800_000_000), end: nil),
        PhoneCallRow(type: .alert, end: nil),
    ])
    func `a phone call without a time expires after half a minute`(_ row: PhoneCallRow) {
        var outbound = OutboundMessage.message(1, row.type, expiration: row.expiration)
        outbound.sendableSince = Timestamp(milliseconds: 1_000)
        #expect(RetryPolicy().phoneCallEnd(of: outbound) == row.end)
    }
}
