package import CarillonCore

/// Decides whether an attempt that failed is made again, and when.
package struct RetryPolicy: Hashable, Sendable {
    /// The time for which a push that the provider may store is retried, from the moment at which its message came into
    /// memory. A message that leaves the memory and comes back, by a pause or a restart, begins anew.
    package var horizonMilliseconds: UInt64 = 24 * Milliseconds.perHour
    /// The time for which a push that is only for now (`Expiration.once`, phone calls) is retried, from the same
    /// moment. A late push does harm.
    package var onlyForNowHorizonMilliseconds: UInt64 = 30_000
    /// The time from the acceptance to the last attempt of a phone call (voip, pushtotalk) whose sender named no time.
    /// A later attempt would ring after the caller has hung up.
    package var phoneCallLifeMilliseconds: UInt64 = 30_000
    /// The backoff of a push that was written and not answered. Each attempt may have reached the device, so there are
    /// few attempts.
    package var unknown = DeliveryBackoff(firstMilliseconds: 500, maximumMilliseconds: 900_000, maximumAttempts: 12)
    /// The backoffs that providers ask for. A provider that is not here has the defaults of `ProviderBackoffs`.
    package var providers: [Provider: ProviderBackoffs]

    package init(providers: [Provider: ProviderBackoffs] = [:]) { self.providers = providers }

    func backoffs(of provider: Provider) -> ProviderBackoffs { providers[provider] ?? ProviderBackoffs() }

    /// Decides what to do with a push after an attempt without a final answer.
    ///
    /// - Parameters:
    ///   - attempts: attempts made, at least 1.
    ///   - requestedMilliseconds: the delay that the answer asks for, in milliseconds; nil if it asks for none.
    ///   - random: 0 to 1; spreads the attempts.
    package func decide(
        _ push: RetriedPush, with backoff: DeliveryBackoff, after attempts: UInt8, requestedMilliseconds: UInt64?,
        random: Double
    ) -> RetryDecision {
        guard attempts < backoff.maximumAttempts else { return .giveUp }
        let doubled = backoff.firstMilliseconds << UInt64(min(attempts - 1, 20))
        let bounded = Double(min(doubled, backoff.maximumMilliseconds))
        let jittered = UInt64(bounded / 2 + bounded / 2 * min(max(random, 0), 1))
        // No Retry-After, however large, may hold a delivery beyond the horizon, and so in memory for ever.
        let delay = max(jittered, min(requestedMilliseconds ?? 0, horizonMilliseconds))
        return isWithinHorizon(milliseconds: delay, of: push) ? .retry(afterMilliseconds: delay) : .giveUp
    }

    /// Decides what to do with a push that was held back and not sent.
    ///
    /// - Parameters:
    ///   - delay: the least delay, in milliseconds. Up to a quarter is added, so that pushes do not all come at once.
    ///   - random: 0 to 1; chooses how much is added.
    package func decideHeldBack(_ push: RetriedPush, milliseconds delay: UInt64, random: Double) -> RetryDecision {
        let bounded = min(delay, horizonMilliseconds)
        let spread = bounded + UInt64(Double(bounded) / 4 * min(max(random, 0), 1))
        // A push that could be sent after the least delay is not given up because of what was added to it.
        if isWithinHorizon(milliseconds: spread, of: push) { return .retry(afterMilliseconds: spread) }
        return isWithinHorizon(milliseconds: bounded, of: push) ? .retry(afterMilliseconds: bounded) : .giveUp
    }

    private func isWithinHorizon(milliseconds delay: UInt64, of push: RetriedPush) -> Bool {
        let (due, overflow) = push.ageMilliseconds.addingReportingOverflow(delay)
        return !overflow && due <= (push.isOnlyForNow ? onlyForNowHorizonMilliseconds : horizonMilliseconds)
    }

    /// Returns the time at which a phone call expires (`phoneCallLifeMilliseconds`); nil if the message is none, or
    /// names a time itself.
    func phoneCallEnd(of outbound: OutboundMessage) -> Timestamp? {
        let isPhoneCall = outbound.content.pushType == .voip || outbound.content.pushType == .pushtotalk
        if case .at = outbound.content.expiration { return nil }
        return isPhoneCall ? outbound.sendableSince.later(byMilliseconds: phoneCallLifeMilliseconds) : nil
    }
}

/// A push whose next attempt the retry policy decides.
package struct RetriedPush: Hashable, Sendable {
    /// The milliseconds since its message came into memory.
    package var ageMilliseconds: UInt64
    /// True if the push is useless or harmful when it is late.
    package var isOnlyForNow: Bool

    package init(ageMilliseconds: UInt64, isOnlyForNow: Bool) {
        self.ageMilliseconds = ageMilliseconds
        self.isOnlyForNow = isOnlyForNow
    }
}

/// The decision about a push after an attempt without a final answer.
package enum RetryDecision: Hashable, Sendable {
    /// The push is tried again after some milliseconds.
    case retry(afterMilliseconds: UInt64)
    /// The delivery ends as `gave-up`.
    case giveUp
}
