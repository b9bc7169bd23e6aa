import CarillonCore

/// The state of the pools and their providers: which pools take deliveries, how many each may have, and whether an
/// answer about a token is believed.
struct PoolStates: Sendable {
    /// The availability of the pools, which the events of pools and credentials change.
    var availability: PoolAvailability
    private var allowances: PoolAllowances
    private var breakers = TokenBreakers()

    init(routes: Routes, limits: DeliveryEngine.Limits, policy: RetryPolicy) {
        availability = PoolAvailability(routes: routes, limits: limits, policy: policy)
        allowances = PoolAllowances(limits: limits)
    }

    // MARK: Handing out

    /// Records that a pool asks for work; returns the number of deliveries that it may have, within what it asks for.
    mutating func poolAskedForWork(_ pool: PoolKey, atMost asked: PullLimits, at now: Uptime) -> PullLimits {
        availability.poolAskedForWork(pool, at: now)
        return allowances.updateAllowance(of: pool, within: asked, at: now)
    }

    mutating func deliveriesHandedOut(_ count: Int, lane: Lane, to pool: PoolKey, at now: Uptime) {
        allowances.deliveriesHandedOut(count, lane: lane, to: pool, at: now)
    }

    /// Schedules the wake of a pool that has pulled, if it may have no more now.
    mutating func poolHasPulled(_ pool: PoolKey) { allowances.scheduleWake(of: pool) }

    // MARK: Answers

    /// Counts the results that came back from a pool. The credential must be judged if one of them refuses it, or if it
    /// was refused before.
    mutating func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey, at now: Uptime) -> PoolEffects {
        var effects = allowances.attemptsEnded(results, for: pool, at: now)
        if availability.hasRefusedCredential(pool) { effects.judgesCredential = true }
        return effects
    }

    /// Counts an answer about a token. Returns a report if an alarm begins or ends with it: the first breaker of the
    /// app and destination opens, or the last one closes.
    mutating func tokenReported(
        _ report: TokenBreakers.Report, of app: AppID, for destination: PushDestination
    ) -> DeliveryEngine.AlarmReport? {
        breakers.tokenReported(report, of: app, for: destination)
    }

    /// Returns true if such an answer about a token is trusted now, so that the device is quarantined for it.
    func trusts(_ report: TokenBreakers.Report, of app: AppID, for destination: PushDestination) -> Bool {
        !breakers.isOpen(for: report, of: app, from: destination)
    }

    // MARK: Time

    /// The time at which a pool must be woken or a trial is due; nil if nothing waits for a time.
    var nextTime: Uptime? {
        let wake = allowances.nextWake
        let trial = availability.nextTrial
        guard let wake, let trial else { return wake ?? trial }
        return min(wake, trial)
    }

    mutating func wakeDuePools(at now: Uptime, _ actions: inout DeliveryEngine.Actions) {
        allowances.takeDueWakes(at: now, &actions)
    }

    /// The most deliveries a second, of each pool that is throttled.
    var throttleRates: [PoolKey: Int] { allowances.throttleRates }
}
