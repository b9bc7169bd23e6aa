/// What one attempt at one device came to, as the engine must know it.
package enum Verdict: Hashable, Sendable {
    /// APNs has accepted the push.
    case delivered
    /// The request was certainly not processed: replay freely, no attempt is charged.
    case notProcessed
    /// The request was written and no answer came: replay with the same `apns-id`.
    case unknown
    /// APNs cannot now; `afterMilliseconds` is what its `Retry-After` asks, if it does.
    case tryLater(TryLater, afterMilliseconds: UInt64?)
    /// APNs refused for good. `deadSince` goes with a dead token.
    case refused(Outcome, deadSince: Timestamp?)
    /// The credential or the connection was refused, not the push: it waits until there is a good one.
    case credentialRefused

    /// Why to try later; each has a backoff of its own.
    package enum TryLater: Hashable, Sendable {
        /// 429: too many pushes to this one token.
        case tokenThrottled
        /// 500, 503: APNs itself.
        case serverBusy
    }
}
