import CarillonCore

/// The conditions under which deliveries may go to the pools.
///
/// For each pool: whether its credential was refused (parked), whether it can be reached, whether it asks for work at
/// all, how many deliveries its throttle and its window allow, and when it is woken for more. For each app and
/// environment: whether APNs calls too many tokens bad.
struct PoolGates: Sendable {
    /// Where the recipients of an app in one environment can be sent.
    enum Route {
        /// To a pool.
        case open
        /// Nowhere now: the credential of the pool was refused.
        case parked
        /// Nowhere now: the pool has no connection.
        case unreachable
        /// Nowhere: no pool serves them.
        case missing
    }

    private struct BreakerKey: Hashable {
        var app: AppID
        var environment: Environment
    }

    private let limits: DeliveryEngine.Limits
    /// Which pool serves an app.
    private(set) var routes: Routes
    /// Pools whose credential was refused.
    private var parked: Set<PoolKey> = []
    /// Pools that report that they have no connection.
    private var unreachable: Set<PoolKey> = []
    /// Pools that do not ask although there is work: they have no connection, or none with a free stream.
    private(set) var absent: Set<PoolKey> = []
    /// Uptime at which a pool last asked for work, or last had none waiting.
    private var askedAt: [PoolKey: UInt64] = [:]
    /// Throttles of the pools that APNs has told it was busy.
    private var throttles: [PoolKey: PoolThrottle] = [:]
    /// The number of deliveries of the bulk lane that each pool may have in flight.
    private var windows: [PoolKey: BulkWindow] = [:]
    /// Uptime at which a pool is woken that a throttle or a window has refused.
    private var wakeTimes: [PoolKey: UInt64] = [:]
    private var breakers: [BreakerKey: TokenBreaker] = [:]

    init(routes: Routes, limits: DeliveryEngine.Limits) {
        self.routes = routes
        self.limits = limits
    }

    // MARK: Routes

    /// The pool of an app in an environment; nil if none serves it.
    func pool(for app: AppID, _ environment: Environment) -> PoolKey? { routes.pool(for: app, environment) }

    /// The routes of an app: looked up once for many recipients.
    func routes(of app: AppID) -> ByEnvironment<Route> {
        ByEnvironment { environment in
            guard let pool = routes.pool(for: app, environment) else { return .missing }
            if parked.contains(pool) { return .parked }
            return unreachable.contains(pool) ? .unreachable : .open
        }
    }

    /// The environments in which the pool of an app is absent; nil if no pool is absent.
    func absences(of app: AppID) -> ByEnvironment<Bool>? {
        if absent.isEmpty { return nil }
        return ByEnvironment { environment in
            routes.pool(for: app, environment).map(absent.contains) ?? false
        }
    }

    /// True if recipients of some pool may have been left pending on disk.
    var hasClosedPools: Bool { !parked.isEmpty || !unreachable.isEmpty }

    /// True if a pool reports that it has no connection.
    var hasUnreachablePools: Bool { !unreachable.isEmpty }

    /// Takes other routes. Pools that are in none of them are forgotten by `forgetClosedPools`.
    mutating func change(to routes: Routes) {
        self.routes = routes
        absent.formIntersection(routes.all)
    }

    /// Forgets the closed pools that serve no app any more.
    mutating func forgetClosedPools() {
        parked.formIntersection(routes.all)
        unreachable.formIntersection(routes.all)
    }

    // MARK: Closing and opening

    /// The credential of a pool was refused. Returns true if the pool was open.
    mutating func park(_ pool: PoolKey) -> Bool {
        parked.insert(pool).inserted && !unreachable.contains(pool)
    }

    /// A pool has had no connection for a while. Returns true if the pool was open.
    mutating func becameUnreachable(_ pool: PoolKey) -> Bool {
        unreachable.insert(pool).inserted && !parked.contains(pool)
    }

    /// A pool has a connection again. Returns true if the pool is open now, and was not.
    mutating func becameReachable(_ pool: PoolKey) -> Bool {
        guard unreachable.remove(pool) != nil else { return false }
        absent.remove(pool)
        return !parked.contains(pool)
    }

    /// A pool has a usable credential again. Returns true if the pool was closed.
    mutating func restarted(_ pool: PoolKey) -> Bool {
        // It may be another pool under the same key, which reports by itself if it cannot be reached.
        let wasUnreachable = unreachable.remove(pool) != nil
        return parked.remove(pool) != nil || wasUnreachable
    }

    /// Looks for pools that do not ask although pages wait for them. Returns true if one is new among them.
    ///
    /// Recipients that wait for such a pool must not hold back the pages of others. Otherwise a few devices of a
    /// sandbox that cannot be reached would stop a message to all.
    mutating func detectAbsence(at now: UInt64, in cache: PageCache) -> Bool {
        var isNew = false
        for pool in routes.all {
            guard cache.hasQueuedPages(for: pool), let at = askedAt[pool] else {
                askedAt[pool] = now
                continue
            }
            guard now - min(at, now) >= limits.absenceMilliseconds else { continue }
            if absent.insert(pool).inserted { isNew = true }
        }
        return isNew
    }

    // MARK: Handing out

    /// A pool asks for work. Returns how many deliveries its throttle and its window allow, within what the pool asks
    /// for.
    mutating func allowance(of pool: PoolKey, _ asked: PullLimits, at now: UInt64) -> PullLimits {
        askedAt[pool] = now
        if !absent.isEmpty { absent.remove(pool) }
        let throttled = throttles[pool]?.allowance(at: now)
        let window = windows[pool, default: BulkWindow(maximum: limits.unrecorded, at: now)].room(at: now)
        return PullLimits(
            min(asked.all, throttled ?? asked.all), interactive: asked.interactive, bulk: min(asked.bulk, window))
    }

    /// Counts deliveries that were handed to a pool.
    mutating func handedOut(_ count: Int, lane: Lane, to pool: PoolKey, at now: UInt64) {
        throttles[pool]?.handedOut(count)
        if lane == .bulk { windows[pool]?.handedOut(count, at: now) }
    }

    /// A pool has pulled: if its throttle or its window is used up, it is woken when that may have changed.
    mutating func scheduleWake(of pool: PoolKey) {
        if let throttle = throttles[pool], throttle.isSpent { scheduleWake(of: pool, at: throttle.windowEnd) }
        if let at = windows[pool]?.wakeAt { scheduleWake(of: pool, at: at) }
    }

    private mutating func scheduleWake(of pool: PoolKey, at uptime: UInt64) {
        wakeTimes[pool] = min(wakeTimes[pool] ?? uptime, uptime)
    }

    /// The first uptime at which a pool is to be woken; nil if none is.
    var nextWake: UInt64? { wakeTimes.values.min() }

    /// Adds the pools that are to be woken now.
    mutating func takeDueWakes(at now: UInt64, into pools: inout Set<PoolKey>) {
        for (pool, at) in wakeTimes where at <= now {
            wakeTimes[pool] = nil
            pools.insert(pool)
        }
    }

    // MARK: Answers

    /// Counts what came back from a pool. Returns true if the pool is to be woken.
    mutating func completed(_ results: [DeliveryResult], for pool: PoolKey, at now: UInt64) -> Bool {
        let windowHasRoom = countInWindow(results, of: pool, at: now)
        let throttleIsOver = countInThrottle(results, of: pool, at: now)
        return windowHasRoom || throttleIsOver
    }

    private mutating func countInWindow(_ results: [DeliveryResult], of pool: PoolKey, at now: UInt64) -> Bool {
        guard var window = windows.removeValue(forKey: pool) else { return false }
        var latest: UInt64?
        // A span: an element of the array would be copied, with its references.
        let results = results.span
        for index in results.indices {
            let time = results[index].attempt.handedOutAt
            if results[index].attempt.message.lane == .bulk { window.cameBack(handedOutAt: time) }
            if !results[index].verdict.isNoAnswer { latest = max(latest ?? 0, time) }
        }
        if let latest { window.answered(handedOutAt: latest, at: now) }
        let hasRoom = window.takeHalfEmpty()
        windows[pool] = window
        return hasRoom
    }

    private mutating func countInThrottle(_ results: [DeliveryResult], of pool: PoolKey, at now: UInt64) -> Bool {
        // While APNs is not busy there is no throttle, and nothing to count.
        guard throttles[pool] != nil || results.contains(where: \.verdict.isBusy) else { return false }
        let answers = results.count { !$0.verdict.isNoAnswer }
        let busy = results.count { $0.verdict.isBusy }
        guard answers > 0 else { return false }
        throttles[pool, default: PoolThrottle(at: now)].answered(answers, busy: busy, at: now)
        guard throttles[pool]?.isOver == true else { return false }
        throttles[pool] = nil
        wakeTimes[pool] = nil
        return true
    }

    /// Deliveries a second at most, of the pools that are throttled.
    var throttleRates: [PoolKey: Int] { throttles.compactMapValues(\.rate) }

    // MARK: Bad tokens

    /// Returns true if no device of the app is quarantined for a bad token now.
    func isBreakerOpen(_ app: AppID, _ environment: Environment) -> Bool {
        breakers[BreakerKey(app: app, environment: environment)]?.isOpen == true
    }

    /// Counts an answer about a token. Returns an alarm if the breaker opens or closes with it.
    mutating func tokenAnswered(isBad: Bool, _ app: AppID, _ environment: Environment) -> DeliveryEngine.Alarm? {
        // While no token is bad there is no breaker, and nothing to count.
        guard isBad || !breakers.isEmpty else { return nil }
        let key = BreakerKey(app: app, environment: environment)
        guard isBad || breakers[key] != nil else { return nil }
        guard breakers[key, default: TokenBreaker()].answered(isBad: isBad) else { return nil }
        return .badTokens(app, environment, isOver: breakers[key]?.isOpen != true)
    }
}

extension Verdict {
    /// True if APNs itself has not answered.
    fileprivate var isNoAnswer: Bool {
        switch self {
        case .notProcessed, .credentialRefused, .unknown: true
        case .delivered, .tryLater, .refused: false
        }
    }

    /// True if APNs answers that it is busy. 429 is about one token and must not slow down the pushes to others.
    fileprivate var isBusy: Bool {
        if case .tryLater(.serverBusy, _) = self { true } else { false }
    }
}
