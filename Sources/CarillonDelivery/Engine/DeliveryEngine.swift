package import CarillonCore

/// The engine that decides which delivery goes next, what the answer of a provider means for it, and when it is tried
/// again.
///
/// The engine reads nothing and sends nothing. Connections pull deliveries and give back results. The engine collects
/// its needs as actions: pages to read, outcomes to write, pools to wake. The shell takes the actions after each call.
/// `EngineLimits` bounds the memory, whatever the audience and the backlog: messages and pages that do not fit stay in
/// the outbox on disk.
///
/// Five parts own the state and its rules:
///
/// - `MessageQueues`: messages in memory, by queue of the outbox
/// - `PageCache`: pages in memory, their queues in front of the pools, and which devices have changed since they were
///   read
/// - `PoolStates`: which pools take deliveries and how many, and whether an answer about a token is believed
/// - `OutcomeBuffer`: the deliveries and outcomes that are not on disk
/// - `RetryTimes`: when a recipient is tried again
///
/// The engine takes the events and coordinates them: `+Messages`, `+Pages`, `+Blocks` (pages that several nodes share),
/// `+Recipients` (recipients of one page), `+Pulling`, `+Results`, `+MessageUpdates`, `+Pools`, `+Credentials`,
/// `+Time`, `+Overview`. `+Actions` and `+Limits` have types.
package struct DeliveryEngine: Sendable {
    /// A condition that the operator must know.
    package enum Alarm: Hashable, Sendable {
        /// A destination calls too many tokens of an app bad. Until that is over, no device is quarantined for such an
        /// answer.
        case badTokens(AppID, PushDestination, isOver: Bool)
        /// The provider refuses the credential of a pool, for one app or for all of them (nil). The next trial comes
        /// after `nextTrial` milliseconds. `isFirst` is false if a trial was refused before.
        case credentialRefused(PoolKey, AppID?, reason: String, nextTrial: UInt64, isFirst: Bool)
        /// The provider accepts the credential again.
        case credentialAccepted(PoolKey, AppID?)
    }

    let limits: EngineLimits
    /// Written by `+Messages`, `+MessageUpdates`, `+Pages`, `+Blocks` and `+Time`, whose events say how far a message
    /// is; by `+Pulling` for its pace, by `+Recipients` for the recipients that it leaves pending, and by this file,
    /// which requests reads.
    var messages: MessageQueues
    /// Written by `+Pages`, which takes pages in and out; by `+Recipients`, `+Pulling`, `+Pools` and `+Time` for the
    /// queues in front of the pools and the timers; and by `+Messages`, `+MessageUpdates` and `+Results` for suspended
    /// and changed pages.
    var cache: PageCache
    /// Written by `+Pools` and `+Credentials`, whose events open and close pools, by `+Pulling` and `+Results`, which
    /// count deliveries and answers, and by `+Time`.
    var pools: PoolStates
    /// Written by `+Pages`, which writes records, by `+Pulling`, `+Results` and `+Recipients`, which count deliveries
    /// and outcomes, and by `+Time` and this file, which have outcomes written.
    var outcomes: OutcomeBuffer
    /// Written by `+Blocks`, `+Credentials`, `+Messages`, `+Pages`, `+Pools`, `+Recipients`, `+Results` and `+Time`,
    /// which ask the shell for something, and by this file: `takeActions` empties it.
    var actions = Actions()
    private(set) var isStopped = false
    private var retryTimes: RetryTimes

    /// Makes an engine that begins with the messages of the outbox.
    ///
    /// - Parameter seed: the seed of the jitter; the same seed and the same calls give the same answers.
    package init(
        routes: Routes, limits: EngineLimits = EngineLimits(), policy: RetryPolicy = RetryPolicy(), seed: UInt64
    ) {
        self.limits = limits
        messages = MessageQueues(limits: limits)
        cache = PageCache(limits: limits)
        pools = PoolStates(routes: routes, limits: limits)
        outcomes = OutcomeBuffer(limits: limits)
        retryTimes = RetryTimes(policy: policy, seed: seed)
    }

    /// Returns the work that the shell is to do, and forgets it.
    package mutating func takeActions() -> Actions {
        flushRecords()
        if !isStopped {
            messages.requestReads(&actions)
            readPagesIfRoom()
        }
        defer { actions = Actions() }
        return actions
    }

    /// The time at which `timerFired` is to be called; nil if nothing waits for a time.
    package var deadline: Uptime? {
        earliest(
            earliest(cache.nextTimer, pools.nextTime), earliest(outcomes.gatheredUntil, messages.rereadAt))
    }

    /// Stops the hand-out of deliveries; deliveries in flight still come back.
    package mutating func stop() {
        isStopped = true
        outcomes.flushGathered()
    }

    // MARK: Retries

    var policy: RetryPolicy { retryTimes.policy }

    /// Reads the steady clock; see `RetryTimes.steadyTime`.
    mutating func steadyTime(at now: Moment) -> Timestamp { retryTimes.steadyTime(at: now) }

    /// Decides what to do with a recipient whose attempt has no final answer; see `RetryTimes.decide`.
    mutating func decideRetry(
        _ backoff: DeliveryBackoff, attempt: UInt8, in page: borrowing CheckedOutPage, asked: UInt64?
    ) -> RetryPolicy.Decision {
        retryTimes.decide(backoff, attempt: attempt, of: page.message, asked: asked, at: page.now)
    }

    /// Decides what to do with a recipient whose push was held back; see `RetryTimes.holdBack`.
    mutating func decideHoldBack(_ milliseconds: UInt64, in page: borrowing CheckedOutPage) -> RetryPolicy.Decision {
        retryTimes.holdBack(milliseconds, of: page.message, at: page.now)
    }
}

/// Returns the earlier of two times; nil if there is neither.
private func earliest(_ first: Uptime?, _ second: Uptime?) -> Uptime? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}
