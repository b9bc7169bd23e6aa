import CarillonCore

/// The effects of results on the pool that they come from.
struct PoolEffects {
    /// True if the pool must be woken, because it may have more deliveries than before.
    var wakes: Bool
    /// True if the credential of the pool must be judged by these results. They are not judged while the provider
    /// accepts it, which is nearly always.
    var judgesCredential: Bool
}

/// The allowances of the pools: how many deliveries each may have, and when it is woken for more. The throttle bounds
/// them while the provider is busy, and the window bounds the bulk lane.
struct PoolAllowances: Sendable {
    private let limits: DeliveryEngine.Limits
    /// The throttles of the pools whose provider has answered that it is busy.
    private var throttles: [PoolKey: PoolThrottle] = [:]
    /// The windows of the pools, which bound the deliveries of the bulk lane in flight.
    private var windows: [PoolKey: BulkWindow] = [:]
    /// The times at which pools are woken after a throttle or a window has refused them deliveries.
    private var wakeTimes: [PoolKey: Uptime] = [:]

    init(limits: DeliveryEngine.Limits) {
        self.limits = limits
    }

    // MARK: Handing out

    /// Returns the number of deliveries that the throttle and the window of a pool allow now, within what the pool asks
    /// for. Ends the throttle's interval and the measurement of the window if their time is over.
    mutating func updateAllowance(of pool: PoolKey, within asked: PullLimits, at now: Uptime) -> PullLimits {
        let throttled = throttles[pool]?.updateAllowance(at: now)
        let window = windows[pool, default: BulkWindow(maximum: limits.unrecordedDeliveries, at: now)]
            .updateRoom(at: now)
        return PullLimits(
            min(asked.all, throttled ?? asked.all), interactive: asked.interactive, bulk: min(asked.bulk, window))
    }

    mutating func deliveriesHandedOut(_ count: Int, lane: Lane, to pool: PoolKey, at now: Uptime) {
        throttles[pool]?.deliveriesHandedOut(count)
        if lane == .bulk { windows[pool]?.pushesHandedOut(count, at: now) }
    }

    /// Schedules the wake of a pool that has pulled: if its throttle or its window is used up, it is woken when there
    /// may be room again.
    mutating func scheduleWake(of pool: PoolKey) {
        if let throttle = throttles[pool], throttle.isSpent { scheduleWake(of: pool, at: throttle.intervalEnd) }
        if let at = windows[pool]?.wakeAt { scheduleWake(of: pool, at: at) }
    }

    private mutating func scheduleWake(of pool: PoolKey, at uptime: Uptime) {
        wakeTimes[pool] = min(wakeTimes[pool] ?? uptime, uptime)
    }

    /// The time at which a pool is next to be woken; nil if there is none.
    var nextWake: Uptime? { wakeTimes.values.min() }

    mutating func takeDueWakes(at now: Uptime, _ actions: inout DeliveryEngine.Actions) {
        for (pool, at) in wakeTimes where at <= now {
            wakeTimes[pool] = nil
            actions.wake(pool)
        }
    }

    // MARK: Answers

    /// Counts the results that came back from a pool. The credential must be judged if one of them refuses it.
    mutating func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey, at now: Uptime) -> PoolEffects {
        var effects = countInWindow(results, of: pool, at: now)
        if countInThrottle(results, of: pool, at: now) { effects.wakes = true }
        return effects
    }

    /// Counts returned pushes in the bulk window. The pool must be woken if the window has room again.
    private mutating func countInWindow(
        _ results: [AttemptResult], of pool: PoolKey, at now: Uptime
    ) -> PoolEffects {
        var window = windows.removeValue(forKey: pool) ?? BulkWindow(maximum: limits.unrecordedDeliveries, at: now)
        var isRefused = false
        var latest: Uptime?
        // A span lends each element; the array would copy the element and retain its references.
        let results = results.span
        for index in results.indices {
            let time = results[index].attempt.handedOutAt
            if results[index].attempt.message.lane == .bulk { window.pushReturned(handedOutAt: time) }
            if results[index].verdict.isAnswered {
                latest = max(latest ?? 0, time)
            } else if results[index].verdict == .credentialRefused {
                isRefused = true
            }
        }
        if let latest { window.providerAnswered(handedOutAt: latest, at: now) }
        let hasRoom = window.takeWakeUp()
        windows[pool] = window
        return PoolEffects(wakes: hasRoom, judgesCredential: isRefused)
    }

    /// Counts answers in the throttle: the first busy answer makes one. Returns true if it is over and was removed.
    private mutating func countInThrottle(_ results: [AttemptResult], of pool: PoolKey, at now: Uptime) -> Bool {
        // While the provider is not busy, there is no throttle and nothing to count.
        guard throttles[pool] != nil || results.contains(where: \.verdict.isBusy) else { return false }
        let answers = results.count { $0.verdict.isAnswered }
        let busy = results.count { $0.verdict.isBusy }
        guard answers > 0 else { return false }
        throttles[pool, default: PoolThrottle(at: now)].providerAnswered(answers, busy: busy, at: now)
        guard throttles[pool]?.isOver == true else { return false }
        throttles[pool] = nil
        wakeTimes[pool] = nil
        return true
    }

    /// The most deliveries a second, of each pool that is throttled.
    var throttleRates: [PoolKey: Int] { throttles.compactMapValues(\.deliveriesPerInterval) }
}

extension Verdict {
    /// True if the provider answers that it is busy. The status 429 is about one token and must not slow down the
    /// pushes to others.
    fileprivate var isBusy: Bool {
        if case .tryLater(.serverBusy, _) = self { true } else { false }
    }
}
