/// The verdict on one attempt: the meaning of its end for the delivery alone, without that for the connection.
package enum Verdict: Hashable, Sendable {
    /// The provider has accepted the push.
    case delivered
    /// The request was certainly not processed, so it may be sent again freely. No attempt is counted before the
    /// twentieth time that this happens to a push (`DeliveryEngine.Limits.uncountedReturns`).
    case notProcessed
    /// The request was written and no answer came: it is sent again, to APNs with the same `apns-id`.
    case unknown
    /// The provider cannot accept the push now; `afterMilliseconds` is its `Retry-After`, nil if it gave none.
    case tryLater(TryLater, afterMilliseconds: UInt64?)
    /// The provider refused the push finally. `deadSince` is set for a dead token.
    case refused(Outcome, deadSince: Timestamp?)
    /// The credential or the connection was refused, not the push: the delivery waits for a valid one. Attempts are
    /// counted as for `notProcessed`.
    case credentialRefused

    /// The reason to retry later; each reason has its own backoff.
    package enum TryLater: Hashable, Sendable {
        /// The provider takes no more pushes for now: to this token (429), or to its push service as a whole. Also used
        /// if one push service refuses a key that others accept.
        case throttled
        /// The provider itself is overloaded or failing (5xx), or takes no more pushes of this credential for now (429
        /// of FCM; of push services see `PushServiceGate`).
        case serverBusy
        /// The push was held back: its push service takes none now. It was not sent, and no attempt is counted.
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
