/// Whether and when an attempt that failed is made again.
package struct RetryPolicy: Hashable, Sendable {
    /// One reason's backoff. Times are milliseconds.
    package struct Backoff: Hashable, Sendable {
        /// After the first attempt; doubled with each more.
        package var first: UInt64
        /// The longest wait.
        package var longest: UInt64
        /// Attempts at one device, the first included.
        package var attempts: UInt8

        /// Makes a backoff.
        package init(first: UInt64, longest: UInt64, attempts: UInt8) {
            self.first = first
            self.longest = longest
            self.attempts = attempts
        }
    }

    /// From the message's turn to giving up, for pushes that APNs may store.
    package var horizon: UInt64 = 24 * 3_600_000
    /// The same for pushes that are tried once (`Expiration.once`, calls): late ones do harm.
    package var horizonOnce: UInt64 = 30_000
    /// From acceptance to the last start of a call (voip, pushtotalk) whose sender named no time: later it would only ring
    /// for nobody.
    package var callLife: UInt64 = 30_000
    /// Written, no answer. Each attempt may have reached the device: there are not many.
    package var unknown = Backoff(first: 500, longest: 900_000, attempts: 12)
    /// 429 of one token.
    package var tokenThrottled = Backoff(first: 30_000, longest: 3_600_000, attempts: 40)
    /// 500 and 503; Apple speaks of 15 minutes, with a backoff on the way. Such attempts have reached nobody: the horizon ends
    /// them.
    package var serverBusy = Backoff(first: 1_000, longest: 900_000, attempts: 200)

    /// Makes the defaults.
    package init() {}

    /// What to do after an attempt that brought no final answer.
    package enum Decision: Hashable, Sendable {
        /// Try again after that many milliseconds.
        case retry(afterMilliseconds: UInt64)
        /// It ends as `gave-up`.
        case giveUp
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - attempt: attempts made, at least 1.
    ///   - age: milliseconds since the message's turn came.
    ///   - asked: what APNs asked for with `Retry-After`, in milliseconds.
    ///   - random: 0 to 1, spreads the attempts.
    package func decide(
        _ backoff: Backoff,
        attempt: UInt8,
        age: UInt64,
        isOnce: Bool,
        asked: UInt64?,
        random: Double
    ) -> Decision {
        guard attempt < backoff.attempts else { return .giveUp }
        let doubled = backoff.first << UInt64(min(attempt - 1, 20))
        let bounded = Double(min(doubled, backoff.longest))
        let jittered = UInt64(bounded / 2 + bounded / 2 * min(max(random, 0), 1))
        // No Retry-After, however large, may hold a delivery beyond the horizon and so for ever in memory.
        let delay = max(jittered, min(asked ?? 0, horizon))
        let (due, overflow) = age.addingReportingOverflow(delay)
        guard !overflow, due <= (isOnce ? horizonOnce : horizon) else { return .giveUp }
        return .retry(afterMilliseconds: delay)
    }
}
