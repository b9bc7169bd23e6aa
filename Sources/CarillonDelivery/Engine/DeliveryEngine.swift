package import CarillonCore

/// The engine that decides which delivery goes next, what the answer of a provider means for it, and when it is tried
/// again.
///
/// The engine reads nothing and sends nothing. Connections pull deliveries and give back results; what the engine needs
/// done (pages read, outcomes written, pools woken) collects as actions, which the shell takes after each call. Its
/// memory is bounded by `EngineLimits`, whatever the audience and the backlog: what does not fit stays in the outbox on
/// disk.
///
/// Eight parts own the state and its rules: `MessageQueues` (messages in memory, by queue of the outbox), `PageCache`
/// (pages in memory and their queues in front of the pools), `PoolGates` (which pools take deliveries), `PoolFlow` (how
/// many each may have), `TokenBreakers` (whether an answer about a token is believed), `OutcomeBuffer` (what is not on
/// disk), `ChangedDevices` (which devices have changed since a page was read) and `SilentPushes` (which devices have a
/// silent push that is not on disk). The engine takes the events and coordinates them: `+Messages`, `+Pages`, `+Blocks`
/// (pages that several nodes share), `+Recipients` (those of one page), `+Pulling`, `+Results`, `+MessageUpdates`,
/// `+Pools`, `+Credentials`, `+Time`, `+Overview`. `+Actions` and `+Limits` have types.
package struct DeliveryEngine: Sendable {
    /// A condition that the operator must know.
    package enum Alarm: Hashable, Sendable {
        /// A destination calls too many tokens of an app bad. Until that is over, no device is quarantined for such an
        /// answer.
        case badTokens(AppID, PushDestination, isOver: Bool)
        /// The provider refuses the credential of a pool, for one app or for all of them (nil). It is tried again after
        /// that many milliseconds; `isFirst` is false if it was tried again and refused again.
        case credentialRefused(PoolKey, AppID?, reason: String, nextTrial: UInt64, isFirst: Bool)
        /// The provider accepts the credential again.
        case credentialAccepted(PoolKey, AppID?)
    }

    let limits: EngineLimits
    let policy: RetryPolicy
    var messages: MessageQueues
    var cache: PageCache
    var gates: PoolGates
    var flow: PoolFlow
    var breakers = TokenBreakers()
    var outcomes: OutcomeBuffer
    /// The devices that have changed since pages were read.
    var devices: ChangedDevices
    var silent = SilentPushes()
    var random: SeededGenerator
    var actions = Actions()
    var isStopped = false
    /// The readings of both clocks at the engine's first look at them; nil before it.
    private var firstMoment: Moment?

    /// Makes an engine that begins with what the outbox holds.
    ///
    /// - Parameter seed: the seed of the jitter; the same seed and the same calls give the same answers.
    package init(
        routes: Routes, limits: EngineLimits = EngineLimits(), policy: RetryPolicy = RetryPolicy(), seed: UInt64
    ) {
        self.limits = limits
        self.policy = policy
        messages = MessageQueues(limits: limits)
        cache = PageCache(limits: limits)
        gates = PoolGates(routes: routes, limits: limits)
        flow = PoolFlow(limits: limits)
        outcomes = OutcomeBuffer(limits: limits)
        devices = ChangedDevices(limit: limits.changedDevices)
        random = SeededGenerator(seed: seed)
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
            earliest(earliest(cache.nextTimer, flow.nextWake), gates.nextTrial),
            earliest(outcomes.gatheredUntil, messages.rereadAt))
    }

    /// Stops the hand-out of deliveries; what is in flight still comes back.
    package mutating func stop() {
        isStopped = true
        outcomes.flushGathered()
    }

    /// Returns the wall time, counted from the first reading by the monotonic clock. Due times are stored in it, so a
    /// later step of the wall clock moves no retry.
    mutating func steadyTime(at now: Moment) -> Timestamp {
        let first = firstMoment ?? now
        firstMoment = first
        return first.wall.advanced(
            byMilliseconds: now.uptime.milliseconds(since: first.uptime))
    }
}

/// Returns the earlier of two times; nil if there is neither.
private func earliest(_ first: Uptime?, _ second: Uptime?) -> Uptime? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}
