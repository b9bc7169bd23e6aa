import CarillonCore
import Testing

@testable import CarillonDelivery

/// The delays before retries, and the end of the retries.
struct RetryPolicyTests {
    static let day: UInt64 = 24 * 3_600_000

    /// An attempt without a final answer, and the decision after it.
    struct FailedAttempt: Sendable, CustomTestStringConvertible {
        var backoff: DeliveryBackoff
        var attempt: UInt8
        var age: UInt64 = 0
        var isOnlyForNow = false
        var requestedMilliseconds: UInt64?
        var random = 1.0
        var decision: RetryDecision

        var testDescription: String {
            let delay = "\(backoff.firstMilliseconds) ms at first, \(requestedMilliseconds ?? 0) ms requested"
            return "attempt \(attempt) after \(age) ms (only for now: \(isOnlyForNow)), \(delay), random \(random)"
        }
    }

    private static let unknown = RetryPolicy().unknown
    private static let busy = ProviderBackoffs().busy
    private static let throttled = ProviderBackoffs().throttled

    @Test(arguments: [
        // Half of the delay is fixed, half is random.
        FailedAttempt(backoff: unknown, attempt: 1, random: 0, decision: .retry(afterMilliseconds: 250)),
        FailedAttempt(backoff: unknown, attempt: 1, random: 0.5, decision: .retry(afterMilliseconds: 375)),
        FailedAttempt(backoff: unknown, attempt: 1, decision: .retry(afterMilliseconds: 500)),
        FailedAttempt(backoff: unknown, attempt: 2, decision: .retry(afterMilliseconds: 1_000)),
        FailedAttempt(backoff: unknown, attempt: 7, decision: .retry(afterMilliseconds: 32_000)),
        FailedAttempt(backoff: unknown, attempt: 8, decision: .retry(afterMilliseconds: 64_000)),
        FailedAttempt(backoff: unknown, attempt: 11, decision: .retry(afterMilliseconds: 512_000)),
        FailedAttempt(backoff: unknown, attempt: 12, decision: .giveUp),
        FailedAttempt(backoff: unknown, attempt: .max, decision: .giveUp),
        // Randomness outside its bounds is held at them.
        FailedAttempt(backoff: unknown, attempt: 1, random: -5, decision: .retry(afterMilliseconds: 250)),
        FailedAttempt(backoff: unknown, attempt: 1, random: 5, decision: .retry(afterMilliseconds: 500)),
        FailedAttempt(backoff: throttled, attempt: 1, decision: .retry(afterMilliseconds: 30_000)),
        FailedAttempt(backoff: throttled, attempt: 11, decision: .retry(afterMilliseconds: 3_600_000)),
        FailedAttempt(backoff: busy, attempt: 1, decision: .retry(afterMilliseconds: 1_000)),
        FailedAttempt(backoff: busy, attempt: 11, decision: .retry(afterMilliseconds: 900_000)),
        // Attempts at busy servers have reached no device: the horizon ends them, not their number.
        FailedAttempt(backoff: busy, attempt: 12, decision: .retry(afterMilliseconds: 900_000)),
        FailedAttempt(backoff: busy, attempt: 199, decision: .retry(afterMilliseconds: 900_000)),
        FailedAttempt(backoff: busy, attempt: 200, decision: .giveUp),
        FailedAttempt(backoff: throttled, attempt: 40, decision: .giveUp),
        // Retry-After lengthens a delay and never shortens it.
        FailedAttempt(
            backoff: busy, attempt: 1, requestedMilliseconds: 120_000, decision: .retry(afterMilliseconds: 120_000)),
        FailedAttempt(
            backoff: busy, attempt: 11, requestedMilliseconds: 1, decision: .retry(afterMilliseconds: 900_000)),
        FailedAttempt(backoff: busy, attempt: 1, requestedMilliseconds: day, decision: .retry(afterMilliseconds: day)),
        FailedAttempt(backoff: busy, attempt: 1, age: 1, requestedMilliseconds: day, decision: .giveUp),
        FailedAttempt(backoff: busy, attempt: 1, requestedMilliseconds: .max, decision: .retry(afterMilliseconds: day)),
        // The horizon counts the delay too.
        FailedAttempt(backoff: busy, attempt: 1, age: day - 1_000, decision: .retry(afterMilliseconds: 1_000)),
        FailedAttempt(backoff: busy, attempt: 1, age: day - 999, decision: .giveUp),
        FailedAttempt(backoff: busy, attempt: 1, age: .max, decision: .giveUp),
        // What the provider would not store is not tried late.
        FailedAttempt(
            backoff: busy, attempt: 1, age: 29_000, isOnlyForNow: true,
            decision: .retry(afterMilliseconds: 1_000)),
        FailedAttempt(backoff: busy, attempt: 1, age: 29_001, isOnlyForNow: true, decision: .giveUp),
        FailedAttempt(backoff: throttled, attempt: 1, age: 1, isOnlyForNow: true, decision: .giveUp),
    ])
    func `a retry is planned or given up by attempt, age and answer`(_ failed: FailedAttempt) {
        let decision = RetryPolicy().decide(
            RetriedPush(ageMilliseconds: failed.age, isOnlyForNow: failed.isOnlyForNow), with: failed.backoff,
            after: failed.attempt, requestedMilliseconds: failed.requestedMilliseconds, random: failed.random)
        #expect(decision == failed.decision)
    }

    /// A push that was held back and not sent, and the decision about it.
    struct HeldPush: Sendable, CustomTestStringConvertible {
        var delay: UInt64
        var age: UInt64 = 0
        var isOnlyForNow = false
        var random = 1.0
        var decision: RetryDecision

        var testDescription: String {
            "held back for \(delay) ms after \(age) ms (only for now: \(isOnlyForNow)), random \(random)"
        }
    }

    @Test(arguments: [
        // Up to a quarter is added.
        HeldPush(delay: 8_000, random: 0, decision: .retry(afterMilliseconds: 8_000)),
        HeldPush(delay: 8_000, random: 0.5, decision: .retry(afterMilliseconds: 9_000)),
        HeldPush(delay: 8_000, decision: .retry(afterMilliseconds: 10_000)),
        HeldPush(delay: 0, decision: .retry(afterMilliseconds: 0)),
        // Randomness outside its bounds is held at them.
        HeldPush(delay: 8_000, random: -5, decision: .retry(afterMilliseconds: 8_000)),
        HeldPush(delay: 8_000, random: 5, decision: .retry(afterMilliseconds: 10_000)),
        // What was added does not end a push that the least delay does not end.
        HeldPush(delay: 8_000, age: day - 10_000, decision: .retry(afterMilliseconds: 10_000)),
        HeldPush(delay: 8_000, age: day - 9_999, decision: .retry(afterMilliseconds: 8_000)),
        HeldPush(delay: 8_000, age: day - 8_000, decision: .retry(afterMilliseconds: 8_000)),
        HeldPush(delay: 8_000, age: day - 7_999, decision: .giveUp),
        HeldPush(delay: 8_000, age: 22_000, isOnlyForNow: true, decision: .retry(afterMilliseconds: 8_000)),
        HeldPush(delay: 8_000, age: 22_001, isOnlyForNow: true, decision: .giveUp),
        // No delay is longer than the horizon.
        HeldPush(delay: .max, decision: .retry(afterMilliseconds: day)),
        HeldPush(delay: .max, age: 1, decision: .giveUp),
        HeldPush(delay: 1, age: .max, decision: .giveUp),
    ])
    func `a push that is held back is delayed or given up by its age`(_ held: HeldPush) {
        let push = RetriedPush(ageMilliseconds: held.age, isOnlyForNow: held.isOnlyForNow)
        #expect(RetryPolicy().decideHeldBack(push, milliseconds: held.delay, random: held.random) == held.decision)
    }

    /// A message that was accepted at 1,000, and the time at which it expires as a phone call.
    struct PhoneCall: Sendable, CustomTestStringConvertible {
        var type: PushType
        var expiration = Expiration.unspecified
        var end: Timestamp?

        var testDescription: String { "\(type) that expires \(expiration)" }
    }

    @Test(arguments: [
        PhoneCall(type: .voip, end: Timestamp(milliseconds: 31_000)),
        PhoneCall(type: .pushtotalk, end: Timestamp(milliseconds: 31_000)),
        PhoneCall(type: .voip, expiration: .once, end: Timestamp(milliseconds: 31_000)),
        PhoneCall(type: .voip, expiration: .at(seconds: 1_800_000_000), end: nil),
        PhoneCall(type: .alert, end: nil),
    ])
    func `a phone call without a time expires after half a minute`(_ call: PhoneCall) {
        var outbound = OutboundMessage.message(1, call.type, expiration: call.expiration)
        outbound.sendableSince = Timestamp(milliseconds: 1_000)
        #expect(RetryPolicy().phoneCallEnd(of: outbound) == call.end)
    }
}
