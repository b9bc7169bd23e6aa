package import CarillonCore

/// The state of one push service, whose answers must not stop pushes to the others.
///
/// One VAPID key is used with many push services, and the delivery engine knows the key alone. So a service that asks
/// for less, fails, or refuses the key must not stop the pushes to the others: it gets a delay of its own, for
/// which its deliveries wait.
package struct PushServiceGate: Sendable {
    /// The delay after 429 without a time, in milliseconds. After 406 the answer always has a time.
    package static let slowDownDelayMilliseconds: UInt64 = 60_000
    /// The number of failures in a row after which a service is delayed.
    package static let maximumFailures = 20
    /// The first delay after failures, in milliseconds; it doubles up to `maximumFailureDelayMilliseconds`.
    package static let firstFailureDelayMilliseconds: UInt64 = 10_000
    /// The longest delay after failures, in milliseconds.
    package static let maximumFailureDelayMilliseconds: UInt64 = 900_000
    /// The first delay of a service that refuses the key, in milliseconds; it doubles up to
    /// `maximumRefusalDelayMilliseconds`.
    package static let firstRefusalDelayMilliseconds: UInt64 = 60_000
    /// The longest delay of a service that refuses the key, in milliseconds.
    package static let maximumRefusalDelayMilliseconds: UInt64 = Milliseconds.perHour

    /// True if the service has accepted a message that was signed with the server's key.
    package private(set) var isKeyProven = false
    private var delayedUntil: Uptime = 0
    private var failures = 0
    private var failureDelays = 0
    /// The time at which the last delay after failures began; nil before the first.
    private var failureDelayBegan: Uptime?
    private var refusals = 0

    package init() {}

    /// Returns the milliseconds for which nothing may be sent to the service; nil if it is not delayed.
    package func remainingDelayMilliseconds(at now: Uptime) -> UInt64? {
        now < delayedUntil ? delayedUntil.milliseconds - now.milliseconds : nil
    }

    /// Takes a verdict of the service, and returns the one for the delivery engine.
    ///
    /// - Parameters:
    ///   - status: the HTTP status of the answer; 0 if no answer came.
    ///   - isKeyProvenElsewhere: true if another service accepts the key: then it is this service that is at fault, and
    ///     not the key.
    ///   - handedOutAt: when the message was handed to the service's queue.
    package mutating func judge(
        _ verdict: Verdict, status: UInt16, isKeyProvenElsewhere: Bool, handedOutAt: Uptime, at now: Uptime
    ) -> Verdict {
        switch verdict {
        case .delivered:
            isKeyProven = true
            failures = 0
            failureDelays = 0
            refusals = 0
            return verdict
        case .refused:
            failures = 0
            return verdict
        case .tryLater(.serverBusy, let requestedMilliseconds):
            let delayMilliseconds =
                status == 429 || status == 406
                ? requestedMilliseconds ?? Self.slowDownDelayMilliseconds
                : countFailure(requestedMilliseconds, handedOutAt: handedOutAt, at: now)
            if let delayMilliseconds { delayedUntil = max(delayedUntil, now + delayMilliseconds) }
            // The engine would slow down all services for an answer that is about its pool.
            return .tryLater(.throttled, afterMilliseconds: delayMilliseconds ?? requestedMilliseconds)
        case .credentialRefused:
            guard isKeyProven || isKeyProvenElsewhere else { return verdict }
            let delayMilliseconds = min(
                Self.firstRefusalDelayMilliseconds << UInt64(min(refusals, 16)), Self.maximumRefusalDelayMilliseconds)
            // Answers to pushes that were sent before the delay are the same refusal, seen again.
            if remainingDelayMilliseconds(at: now) == nil { refusals += 1 }
            delayedUntil = max(delayedUntil, now + delayMilliseconds)
            return .tryLater(.throttled, afterMilliseconds: delayMilliseconds)
        case .tryLater(.throttled, _), .tryLater(.heldBack, _), .notProcessed, .unknown: return verdict
        }
    }

    /// Counts a failure. Returns the delay in milliseconds; nil if the service is not delayed.
    private mutating func countFailure(
        _ requestedMilliseconds: UInt64?, handedOutAt: Uptime, at now: Uptime
    ) -> UInt64? {
        // A push that was sent before the delay fails for the same cause as the pushes that led to it.
        if let delay = remainingDelayMilliseconds(at: now) {
            return max(delay, min(requestedMilliseconds ?? 0, Self.maximumFailureDelayMilliseconds))
        }
        if let failureDelayBegan, handedOutAt <= failureDelayBegan { return nil }
        failures += 1
        guard failures >= Self.maximumFailures else { return nil }
        failures = 0
        let delayMilliseconds = min(
            Self.firstFailureDelayMilliseconds << UInt64(min(failureDelays, 16)), Self.maximumFailureDelayMilliseconds)
        failureDelays += 1
        failureDelayBegan = now
        return max(delayMilliseconds, min(requestedMilliseconds ?? 0, Self.maximumFailureDelayMilliseconds))
    }
}
