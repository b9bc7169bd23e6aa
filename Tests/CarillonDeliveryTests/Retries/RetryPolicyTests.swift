import CarillonCore
import CarillonDelivery
import Testing

/// Attempts double their pause, and there is an end to them.
struct RetryPolicyTests {
    static let day: UInt64 = 24 * 3_600_000

    struct Row: Sendable {
        var backoff: any KeyPath<RetryPolicy, DeliveryBackoff> & Sendable
        var attempt: UInt8
        var age: UInt64 = 0
        var isTriedOnce = false
        var requestedDelay: UInt64?
        var random = 1.0
        var decision: RetryDecision
    }

    @Test(arguments: [
        // Half of the pause is fixed, half is random.
        Row(backoff: \.unknown, attempt: 1, random: 0, decision: .retry(afterMilliseconds: 250)),
        Row(backoff: \.unknown, attempt: 1, random: 0.5, decision: .retry(afterMilliseconds: 375)),
        Row(backoff: \.unknown, attempt: 1, decision: .retry(afterMilliseconds: 500)),
        Row(backoff: \.unknown, attempt: 2, decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: \.unknown, attempt: 7, decision: .retry(afterMilliseconds: 32_000)),
        Row(backoff: \.unknown, attempt: 8, decision: .retry(afterMilliseconds: 64_000)),
        Row(backoff: \.unknown, attempt: 11, decision: .retry(afterMilliseconds: 512_000)),
        Row(backoff: \.unknown, attempt: 12, decision: .giveUp),
        Row(backoff: \.unknown, attempt: .max, decision: .giveUp),
        // Randomness outside its bounds is held at them.
        Row(backoff: \.unknown, attempt: 1, random: -5, decision: .retry(afterMilliseconds: 250)),
        Row(backoff: \.unknown, attempt: 1, random: 5, decision: .retry(afterMilliseconds: 500)),
        Row(backoff: \.usual.tokenThrottled, attempt: 1, decision: .retry(afterMilliseconds: 30_000)),
        Row(backoff: \.usual.tokenThrottled, attempt: 11, decision: .retry(afterMilliseconds: 3_600_000)),
        Row(backoff: \.usual.busy, attempt: 1, decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: \.usual.busy, attempt: 11, decision: .retry(afterMilliseconds: 900_000)),
        // Attempts at busy servers have reached no device: the horizon ends them, not their number.
        Row(backoff: \.usual.busy, attempt: 12, decision: .retry(afterMilliseconds: 900_000)),
        Row(backoff: \.usual.busy, attempt: 199, decision: .retry(afterMilliseconds: 900_000)),
        Row(backoff: \.usual.busy, attempt: 200, decision: .giveUp),
        Row(backoff: \.usual.tokenThrottled, attempt: 40, decision: .giveUp),
        // Retry-After lengthens a pause and never shortens it.
        Row(backoff: \.usual.busy, attempt: 1, requestedDelay: 120_000, decision: .retry(afterMilliseconds: 120_000)),
        Row(backoff: \.usual.busy, attempt: 11, requestedDelay: 1, decision: .retry(afterMilliseconds: 900_000)),
        Row(backoff: \.usual.busy, attempt: 1, requestedDelay: day, decision: .retry(afterMilliseconds: day)),
        Row(backoff: \.usual.busy, attempt: 1, age: 1, requestedDelay: day, decision: .giveUp),
        Row(backoff: \.usual.busy, attempt: 1, requestedDelay: .max, decision: .retry(afterMilliseconds: day)),
        // The horizon counts the pause too.
        Row(backoff: \.usual.busy, attempt: 1, age: day - 1_000, decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: \.usual.busy, attempt: 1, age: day - 999, decision: .giveUp),
        Row(backoff: \.usual.busy, attempt: 1, age: .max, decision: .giveUp),
        // What the provider would not store is not tried late.
        Row(
            backoff: \.usual.busy, attempt: 1, age: 29_000, isTriedOnce: true,
            decision: .retry(afterMilliseconds: 1_000)),
        Row(backoff: \.usual.busy, attempt: 1, age: 29_001, isTriedOnce: true, decision: .giveUp),
        Row(backoff: \.usual.tokenThrottled, attempt: 1, age: 1, isTriedOnce: true, decision: .giveUp),
    ])
    func aRetryIsPlannedOrGivenUpByAttemptAgeAndAnswer(_ row: Row) {
        let policy = RetryPolicy()
        let decision = policy.decide(
            with: policy[keyPath: row.backoff], after: row.attempt, age: row.age, isTriedOnce: row.isTriedOnce,
            requestedDelay: row.requestedDelay, random: row.random)
        #expect(decision == row.decision)
    }
}
