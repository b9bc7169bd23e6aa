package import CarillonCore

/// The state of one push service, and the effect of its answers on pushes to the others.
///
/// One VAPID key is used with many push services, and the delivery engine knows the key alone. So a service that asks
/// for less, fails, or refuses the key must not stop the pushes to the others: it is paused by itself, and its
/// deliveries are tried later.
package struct PushServiceGate: Sendable {
    /// The pause after 429 or 406 without a time, in milliseconds.
    package static let slowDownPauseMilliseconds: UInt64 = 60_000
    /// The number of failures in a row after which a service is paused.
    package static let maximumFailures = 20
    /// The first pause after failures, in milliseconds; it doubles up to `maximumFailurePauseMilliseconds`.
    package static let firstFailurePauseMilliseconds: UInt64 = 10_000
    /// The longest pause after failures, in milliseconds.
    package static let maximumFailurePauseMilliseconds: UInt64 = 900_000
    /// The first pause of a service that refuses the key, in milliseconds; it doubles up to
    /// `maximumRefusalPauseMilliseconds`.
    package static let firstRefusalPauseMilliseconds: UInt64 = 60_000
    /// The longest pause of a service that refuses the key, in milliseconds.
    package static let maximumRefusalPauseMilliseconds: UInt64 = 3_600_000

    /// True if the service has accepted a message that was signed with the server's key.
    package private(set) var isKeyProven = false
    private var pausedUntil: Uptime = 0
    private var failures = 0
    private var failurePauses = 0
    /// The time at which the last pause after failures began; nil before the first.
    private var failurePauseBegan: Uptime?
    private var refusals = 0

    package init() {}

    /// Returns the milliseconds for which nothing may be sent to the service; nil if it is not paused.
    package func pause(at now: Uptime) -> UInt64? {
        now < pausedUntil ? pausedUntil.milliseconds - now.milliseconds : nil
    }

    /// Takes a verdict of the service, and returns the one for the delivery engine.
    ///
    /// - Parameters:
    ///   - status: the HTTP status of the answer; 0 if no answer came.
    ///   - isKeyProvenElsewhere: true if another service accepts the key: then it is this service that is at fault, and
    ///     not the key.
    ///   - sentAt: when the message was handed to the service's queue.
    package mutating func judge(
        _ verdict: Verdict, status: UInt16, isKeyProvenElsewhere: Bool, sentAt: Uptime, at now: Uptime
    ) -> Verdict {
        switch verdict {
        case .delivered:
            isKeyProven = true
            (failures, failurePauses, refusals) = (0, 0, 0)
            return verdict
        case .refused:
            failures = 0
            return verdict
        case .tryLater(.serverBusy, let askedMilliseconds):
            let delayMilliseconds =
                status == 429 || status == 406
                ? askedMilliseconds ?? Self.slowDownPauseMilliseconds
                : countFailure(askedMilliseconds, sentAt: sentAt, at: now)
            if let delayMilliseconds { pausedUntil = max(pausedUntil, now + delayMilliseconds) }
            // The engine would slow down all services for an answer that is about its pool.
            return .tryLater(.tokenThrottled, afterMilliseconds: delayMilliseconds ?? askedMilliseconds)
        case .credentialRefused:
            guard isKeyProven || isKeyProvenElsewhere else { return verdict }
            let delayMilliseconds = min(
                Self.firstRefusalPauseMilliseconds << UInt64(min(refusals, 16)), Self.maximumRefusalPauseMilliseconds)
            refusals += pause(at: now) == nil ? 1 : 0
            pausedUntil = max(pausedUntil, now + delayMilliseconds)
            return .tryLater(.tokenThrottled, afterMilliseconds: delayMilliseconds)
        case .tryLater(.tokenThrottled, _), .tryLater(.heldBack, _), .notProcessed, .unknown: return verdict
        }
    }

    /// Counts a failure. Returns the pause in milliseconds; nil if the service is not paused.
    private mutating func countFailure(_ askedMilliseconds: UInt64?, sentAt: Uptime, at now: Uptime) -> UInt64? {
        // A push that was sent before the pause fails for the same cause as the pushes that led to the pause.
        if let pause = pause(at: now) {
            return max(pause, min(askedMilliseconds ?? 0, Self.maximumFailurePauseMilliseconds))
        }
        if let failurePauseBegan, sentAt <= failurePauseBegan { return nil }
        failures += 1
        guard failures >= Self.maximumFailures else { return nil }
        failures = 0
        let delayMilliseconds = min(
            Self.firstFailurePauseMilliseconds << UInt64(min(failurePauses, 16)), Self.maximumFailurePauseMilliseconds)
        failurePauses += 1
        failurePauseBegan = now
        return max(delayMilliseconds, min(askedMilliseconds ?? 0, Self.maximumFailurePauseMilliseconds))
    }
}
