import CarillonCore

/// The times at which recipients are tried again: the decisions of the retry policy with their random part, and the
/// clock in which due times are stored.
struct RetryTimes: Sendable {
    let policy: RetryPolicy
    private var random: SeededGenerator
    /// The readings of both clocks at the first look at them; nil before it.
    private var firstMoment: Moment?

    init(policy: RetryPolicy, seed: UInt64) {
        self.policy = policy
        random = SeededGenerator(seed: seed)
    }

    /// Decides what to do with a push after an attempt without a final answer.
    ///
    /// - Parameters:
    ///   - attempts: attempts made, at least 1.
    ///   - requestedMilliseconds: the delay that the answer asks for, in milliseconds; nil if it asks for none.
    mutating func decide(
        with backoff: DeliveryBackoff, after attempts: UInt8, of properties: LoadedMessage.Properties,
        requestedMilliseconds: UInt64?,
        at now: Moment
    ) -> RetryDecision {
        policy.decide(
            RetriedPush(of: properties, at: now), with: backoff, after: attempts,
            requestedMilliseconds: requestedMilliseconds,
            random: random.unit())
    }

    /// Decides what to do with a push that was held back and not sent, with the least delay in milliseconds.
    mutating func decideHeldBack(milliseconds delay: UInt64, of properties: LoadedMessage.Properties, at now: Moment)
        -> RetryDecision
    {
        policy.decideHeldBack(RetriedPush(of: properties, at: now), milliseconds: delay, random: random.unit())
    }

    /// Returns the time in which due times are stored: the wall time of the first call, plus the time that has passed
    /// since then by the monotonic clock. So a retry that is due in a minute stays due in a minute, even if the wall
    /// clock is set back by an hour in between.
    mutating func steadyTime(at now: Moment) -> Timestamp {
        let first = firstMoment ?? now
        firstMoment = first
        return first.wall.later(byMilliseconds: now.uptime.milliseconds(since: first.uptime))
    }
}

extension RetriedPush {
    fileprivate init(of properties: LoadedMessage.Properties, at now: Moment) {
        self.init(
            ageMilliseconds: now.uptime.milliseconds(since: properties.loadedAt), isOnlyForNow: properties.isOnlyForNow)
    }
}
