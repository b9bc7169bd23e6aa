/// The verdict on one attempt, in the terms of the delivery engine.
package enum Verdict: Hashable, Sendable {
    /// The provider has accepted the push.
    case delivered
    /// The request was certainly not processed: it may be sent again freely, and no attempt is charged.
    case notProcessed
    /// The request was written and no answer came: it is sent again, to APNs with the same `apns-id`.
    case unknown
    /// The provider cannot accept the push now; `afterMilliseconds` is its `Retry-After`, nil if it gave none.
    case tryLater(TryLater, afterMilliseconds: UInt64?)
    /// The provider refused the push finally. `deadSince` is set for a dead token.
    case refused(Outcome, deadSince: Timestamp?)
    /// The credential or the connection was refused, not the push: the delivery waits for a valid one.
    case credentialRefused

    /// The reason to retry later; each reason has its own backoff.
    package enum TryLater: Hashable, Sendable {
        /// The provider takes no more pushes for now: to this token (429), or to its push service as a whole. Also used
        /// if one push service refuses a key that others accept.
        case throttled
        /// The provider itself is overloaded or failing (500, 503).
        case serverBusy
        /// The push was held back: its push service takes none now. It was not sent, and no attempt is charged.
        case heldBack
    }

    /// True if the provider itself has answered the push.
    @inlinable package var isAnswered: Bool {
        switch self {
        case .notProcessed, .unknown, .credentialRefused, .tryLater(.heldBack, _): false
        case .delivered, .tryLater, .refused: true
        }
    }
}

/// The backoffs that a provider asks for after answers of `Verdict.tryLater`.
package struct ProviderBackoffs: Hashable, Sendable {
    /// The backoff after `serverBusy`. Such attempts have reached no device, so the number of attempts is not to end
    /// them: it is so large that the horizon of the retry policy comes first.
    package var busy = DeliveryBackoff(firstMilliseconds: 1_000, maximumMilliseconds: 900_000, maximumAttempts: 200)
    /// The backoff after `throttled` of a push to a device.
    package var throttled = DeliveryBackoff(
        firstMilliseconds: 30_000, maximumMilliseconds: 3_600_000, maximumAttempts: 40)
    /// The backoff after `throttled` of a broadcast push, which is about its channel; nil if it is the same as for
    /// a device.
    package var channelThrottled: DeliveryBackoff?

    /// Makes the backoffs of a provider that asks for nothing of its own.
    package init() {}
}

/// The rule by which the delays between attempts at one device grow, for one reason. Durations are in milliseconds.
package struct DeliveryBackoff: Hashable, Sendable {
    /// The longest delay after the first attempt; it doubles with each further attempt.
    package var firstMilliseconds: UInt64
    /// The longest delay after any attempt.
    package var maximumMilliseconds: UInt64
    /// The most attempts at one device, the first included.
    package var maximumAttempts: UInt8

    /// Makes a backoff from the values of the provider's adapter, or of the retry policy of the server.
    package init(firstMilliseconds: UInt64, maximumMilliseconds: UInt64, maximumAttempts: UInt8) {
        self.firstMilliseconds = firstMilliseconds
        self.maximumMilliseconds = maximumMilliseconds
        self.maximumAttempts = maximumAttempts
    }
}
