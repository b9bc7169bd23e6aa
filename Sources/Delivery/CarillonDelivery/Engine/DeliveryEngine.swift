package import CarillonCore

/// The engine that decides which delivery goes next, what the answer of a provider means for it, and when it is tried
/// again.
///
/// The engine reads nothing and sends nothing. Connections pull deliveries and give back results. The engine collects
/// its needs as actions: pages to read, outcomes to write, pools to wake. The shell takes the actions after each call.
/// `Limits` bounds the memory, whatever the audience and the backlog: messages and pages that do not fit stay in
/// the outbox on disk.
///
/// Five parts own the state and its rules. Extensions in other files assign no variable of this type: they take the
/// events, and call functions of the parts.
///
/// - `MessageQueues`: messages in memory, by queue of the outbox
/// - `PageCache`: pages in memory, their queues in front of the pools, and which devices have changed since they were
///   read
/// - `PoolStates`: which pools take deliveries and how many, and whether an answer about a token is believed
/// - `OutcomeBuffer`: the deliveries and outcomes that are not on disk
/// - `RetryTimes`: when a recipient is tried again
///
/// The recipients of a page change while the page is checked out (`CheckedOutPage`). What that means for messages,
/// cache, outcomes and retry times is applied when the page is checked in (`+Pages`). What a hand-out means for pools
/// and paces is applied at once (`+Pulling`).
///
/// The extensions, first those that a message meets, in that order:
///
/// | Extension | Takes | Changes beside pages |
/// |---|---|---|
/// | `+Messages` | messages from the outbox, and their ends | `messages`, `cache` |
/// | `+Reading` | pages from the registry, and changes of devices | `messages`, `cache`, `retryTimes` |
/// | `+Pages` | the work of one call on a page | `messages`, `cache`, `outcomes`, `retryTimes` |
/// | `+Pulling` | requests of pools for deliveries | `cache`, `pools`, `outcomes`, the pace in `messages` |
/// | `+Results` | results of attempts | `pools`, `outcomes`, `retryTimes` |
/// | `+Writing` | records that are on disk | `outcomes`, `cache`, counts in `messages` |
/// | `+MessageUpdates` | cancel, pause, pace | `messages` |
/// | `+Blocks` | pages that several nodes share | `messages` |
/// | `+Credentials`, `+Pools` | refused credentials, outages, other routes | `pools`, `cache`, `messages` |
/// | `+Time` | the clock | all parts but `retryTimes` |
/// | `+Overview` | questions | nothing |
package struct DeliveryEngine: Sendable {
    /// A report about an alarm, a condition that an operator must end: it has begun, goes on or is over.
    package enum AlarmReport: Hashable, Sendable {
        /// A destination calls too many tokens of an app bad. Until that is over, no device is quarantined for such an
        /// answer.
        case badTokens(AppID, PushDestination, isOver: Bool)
        /// The provider refuses the credential of a pool, for one app or for all of them (nil). The next trial comes
        /// after `trialMilliseconds`. `isFirst` is false if a trial was refused before.
        case credentialRefused(PoolKey, AppID?, reason: String, trialMilliseconds: UInt64, isFirst: Bool)
        case credentialAccepted(PoolKey, AppID?)
    }

    let limits: Limits
    var messages: MessageQueues
    var cache: PageCache
    var pools: PoolStates
    var outcomes: OutcomeBuffer
    var retryTimes: RetryTimes
    /// The work that the shell is to do; `takeActions` takes it.
    var actions = Actions()
    private(set) var isStopped = false

    /// Makes an engine that begins with the messages of the outbox.
    ///
    /// - Parameter seed: the seed of the jitter; the same seed and the same calls give the same answers.
    package init(
        routes: Routes, limits: Limits = Limits(), policy: RetryPolicy = RetryPolicy(), seed: UInt64
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
            earliest(cache.nextTimer, pools.nextTime), earliest(outcomes.bufferedUntil, messages.rereadAt))
    }

    var policy: RetryPolicy { retryTimes.policy }

    /// Stops the hand-out of deliveries; deliveries in flight still come back.
    package mutating func stop() {
        isStopped = true
        outcomes.flushBuffered()
    }
}

/// Returns the earlier of two times; nil if there is neither.
private func earliest(_ first: Uptime?, _ second: Uptime?) -> Uptime? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}
