import CarillonCore

/// The conditions under which deliveries may go to the pools.
///
/// For each pool: its states, how many deliveries its throttle and its window allow, and when it is woken for more. For
/// each app and service: whether too many tokens are called bad.
///
/// A pool can be in several of these states:
///
/// - *Refused*: APNs has refused its credential and has not accepted it since. Its deliveries, or those of some apps,
///   are parked on disk (`CredentialGate`).
/// - *Unreachable*: it reports that it has no connection. Its deliveries stay on disk.
/// - *Closed*: refused or unreachable.
/// - *Absent*: it does not ask for the work there is for it. Its deliveries are in memory, and hold back no others.
/// - *Unusable*: closed or absent.
struct PoolGates: Sendable {
    /// Where the recipients of an app for one service can be sent.
    enum Route {
        /// To a pool.
        case open
        /// Nowhere now: APNs refuses the credential of the pool, for the app or altogether.
        case parked
        /// Nowhere now: the pool has no connection.
        case unreachable
        /// Nowhere: no pool serves them.
        case missing
    }

    private struct BreakerKey: Hashable {
        var app: AppID
        var service: PushService
        var answer: TokenAnswer
    }

    /// What an answer says about a token.
    enum TokenAnswer {
        /// It was delivered to.
        case good
        /// It is none of the app.
        case bad
        /// It was one of the app, and is no longer; since when is not known.
        case unregistered
    }

    private let limits: DeliveryEngine.Limits
    /// Which pool serves an app.
    private(set) var routes: Routes
    /// Refused pools.
    private var credentials: [PoolKey: CredentialGate] = [:]
    /// Unreachable pools, and the uptime since which they do not ask for work.
    private var unreachable: [PoolKey: Uptime] = [:]
    /// Absent pools: they have no connection, or none with a free stream.
    private(set) var absent: Set<PoolKey> = []
    /// When a pool last asked for work, or last had none waiting.
    private var askedAt: [PoolKey: Uptime] = [:]
    /// Throttles of the pools that APNs has told it was busy.
    private var throttles: [PoolKey: PoolThrottle] = [:]
    /// The number of deliveries of the bulk lane that each pool may have in flight.
    private var windows: [PoolKey: BulkWindow] = [:]
    /// When a pool is woken that a throttle or a window has refused.
    private var wakeTimes: [PoolKey: Uptime] = [:]
    private var breakers: [BreakerKey: TokenBreaker] = [:]

    init(routes: Routes, limits: DeliveryEngine.Limits) {
        self.routes = routes
        self.limits = limits
    }

    // MARK: Routes

    /// The pool of an app for a service; nil if none serves it.
    func pool(for app: AppID, _ service: PushService) -> PoolKey? { routes.pool(for: app, service) }

    /// The routes of an app: looked up once for many recipients.
    func routes(of app: AppID) -> ByService<Route> {
        ByService { service in
            guard let pool = routes.pool(for: app, service) else { return .missing }
            if credentials[pool]?.admission(of: app) == .closed { return .parked }
            return unreachable[pool] != nil ? .unreachable : .open
        }
    }

    /// The services for which the pool of an app is absent; nil if no pool is absent.
    func absences(of app: AppID) -> ByService<Bool>? {
        if absent.isEmpty { return nil }
        return ByService { service in
            routes.pool(for: app, service).map(absent.contains) ?? false
        }
    }

    /// True if a pool is closed: recipients of it may have been left pending on disk.
    var hasClosedPools: Bool { !credentials.isEmpty || !unreachable.isEmpty }

    /// True if a pool is unusable.
    var hasUnusablePools: Bool { hasClosedPools || !absent.isEmpty }

    /// The uptime since which the pool of an app is unusable; nil if it is not, or if no pool serves the app.
    func unusableSince(_ app: AppID, _ service: PushService) -> Uptime? {
        guard hasUnusablePools, let pool = routes.pool(for: app, service) else { return nil }
        let times = [
            credentials[pool]?.heldSince(app), unreachable[pool], absent.contains(pool) ? askedAt[pool] : nil,
        ]
        return times.compactMap { $0 }.min()
    }

    /// Takes other routes. Pools that are in none of them are forgotten by `forgetClosedPools`.
    mutating func change(to routes: Routes) {
        self.routes = routes
        absent.formIntersection(routes.all)
        for pool in credentials.keys { credentials[pool]?.serve(routes.apps(of: pool)) }
    }

    /// Forgets the closed pools that serve no app any more.
    mutating func forgetClosedPools() {
        let all = routes.all
        credentials = credentials.filter { all.contains($0.key) && !$0.value.isOpen }
        unreachable = unreachable.filter { all.contains($0.key) }
    }

    // MARK: Closing and opening

    /// A pool has had no connection for a while. Returns true if that was not known.
    mutating func becameUnreachable(_ pool: PoolKey, at now: Uptime) -> Bool {
        guard unreachable[pool] == nil else { return false }
        unreachable[pool] = askedAt[pool] ?? now
        return true
    }

    /// A pool has a connection again. Returns true if it had none before.
    mutating func becameReachable(_ pool: PoolKey) -> Bool {
        guard unreachable.removeValue(forKey: pool) != nil else { return false }
        absent.remove(pool)
        return true
    }

    /// A pool has another credential, or its credential is to be tried at once. Returns true if the pool was closed.
    mutating func restarted(_ pool: PoolKey) -> Bool {
        // It may be another pool under the same key, which reports by itself if it cannot be reached.
        let wasUnreachable = unreachable.removeValue(forKey: pool) != nil
        return credentials.removeValue(forKey: pool) != nil || wasUnreachable
    }

    // MARK: Credentials

    /// What is handed out of an app's deliveries as far as the credential of a pool decides it.
    func admission(of app: AppID, to pool: PoolKey) -> CredentialGate.Admission {
        credentials.isEmpty ? .open : credentials[pool]?.admission(of: app) ?? .open
    }

    /// The trial of a pool that has no answer yet; nil if there is none.
    func trial(of pool: PoolKey) -> CredentialGate.Trial? { credentials[pool]?.trial }

    /// Returns true if APNs has refused the pool's credential, for some of its apps or for all, and not accepted it since.
    func hasRefusedCredential(_ pool: PoolKey) -> Bool { credentials[pool] != nil }

    /// The state of the credentials that were refused and are not accepted yet.
    var refusedCredentials: [PoolKey: (isParked: Bool, parkedApps: Int)] {
        credentials.mapValues { ($0.isParked, $0.parkedCount) }
    }

    /// The refusal of the credential of an app for a service; nil if its credential is not refused for it.
    func refusal(of app: AppID, _ service: PushService) -> DeliveryEngine.Refusal? {
        guard let pool = routes.pool(for: app, service), let gate = credentials[pool],
            let since = gate.heldSince(app)
        else { return nil }
        return DeliveryEngine.Refusal(since: since, nextTrial: gate.nextTrial(of: app))
    }

    /// Changes the gate of a pool's credential in place; it is made if there is none, and removed once it is open.
    mutating func withCredential<R>(of pool: PoolKey, _ body: (inout CredentialGate) -> R) -> R {
        var gate = credentials.removeValue(forKey: pool) ?? CredentialGate(serving: routes.apps(of: pool))
        let result = body(&gate)
        if !gate.isOpen { credentials[pool] = gate }
        return result
    }

    /// When a refused credential is next to be tried; nil if none is.
    var nextTrial: Uptime? { credentials.values.compactMap(\.nextTrial).min() }

    /// Allows a trial of each refused credential whose pause is over; returns true if it allowed any.
    mutating func takeDueTrials(at now: Uptime) -> Bool {
        guard let next = nextTrial, next <= now else { return false }
        for pool in credentials.keys { _ = credentials[pool]?.timerFired(at: now) }
        return true
    }

    // MARK: Absence

    /// Looks for pools that do not ask although pages wait for them. Returns true if one is new among them.
    ///
    /// Recipients that wait for such a pool must not hold back the pages of others. Otherwise a few devices of a
    /// sandbox that cannot be reached would stop a message to all.
    mutating func detectAbsence(at now: Uptime, in cache: PageCache) -> Bool {
        var isNew = false
        for pool in routes.all {
            guard cache.hasQueuedPages(for: pool), let at = askedAt[pool] else {
                askedAt[pool] = now
                continue
            }
            guard now.milliseconds(since: at) >= limits.absenceMilliseconds else { continue }
            if absent.insert(pool).inserted { isNew = true }
        }
        return isNew
    }

    // MARK: Handing out

    /// A pool asks for work. Returns how many deliveries its throttle and its window allow, within what the pool asks
    /// for.
    mutating func allowance(of pool: PoolKey, _ asked: PullLimits, at now: Uptime) -> PullLimits {
        askedAt[pool] = now
        if !absent.isEmpty { absent.remove(pool) }
        let throttled = throttles[pool]?.allowance(at: now)
        let window = windows[pool, default: BulkWindow(maximum: limits.unrecorded, at: now)].room(at: now)
        return PullLimits(
            min(asked.all, throttled ?? asked.all), interactive: asked.interactive, bulk: min(asked.bulk, window))
    }

    /// Counts deliveries that were handed to a pool.
    mutating func handedOut(_ count: Int, lane: Lane, to pool: PoolKey, at now: Uptime) {
        throttles[pool]?.handedOut(count)
        if lane == .bulk { windows[pool]?.handedOut(count, at: now) }
    }

    /// A pool has pulled: if its throttle or its window is used up, it is woken when that may have changed.
    mutating func scheduleWake(of pool: PoolKey) {
        if let throttle = throttles[pool], throttle.isSpent { scheduleWake(of: pool, at: throttle.windowEnd) }
        if let at = windows[pool]?.wakeAt { scheduleWake(of: pool, at: at) }
    }

    private mutating func scheduleWake(of pool: PoolKey, at uptime: Uptime) {
        wakeTimes[pool] = min(wakeTimes[pool] ?? uptime, uptime)
    }

    /// When a pool is next to be woken; nil if none is.
    var nextWake: Uptime? { wakeTimes.values.min() }

    /// Adds the pools that are to be woken now.
    mutating func takeDueWakes(at now: Uptime, into pools: inout Set<PoolKey>) {
        for (pool, at) in wakeTimes where at <= now {
            wakeTimes[pool] = nil
            pools.insert(pool)
        }
    }

    // MARK: Answers

    /// Counts what came back from a pool. Returns true if the pool is to be woken, and whether APNs has refused its
    /// credential.
    mutating func completed(
        _ results: [DeliveryResult], for pool: PoolKey, at now: Uptime
    ) -> (wakes: Bool, isRefused: Bool) {
        let (windowHasRoom, isRefused) = countInWindow(results, of: pool, at: now)
        let throttleIsOver = countInThrottle(results, of: pool, at: now)
        return (windowHasRoom || throttleIsOver, isRefused)
    }

    private mutating func countInWindow(
        _ results: [DeliveryResult], of pool: PoolKey, at now: Uptime
    ) -> (hasRoom: Bool, isRefused: Bool) {
        var window = windows.removeValue(forKey: pool) ?? BulkWindow(maximum: limits.unrecorded, at: now)
        var isRefused = false
        var latest: Uptime?
        // A span: an element of the array would be copied, with its references.
        let results = results.span
        for index in results.indices {
            let time = results[index].attempt.handedOutAt
            if results[index].attempt.message.lane == .bulk { window.cameBack(handedOutAt: time) }
            if !results[index].verdict.isNoAnswer {
                latest = max(latest ?? 0, time)
            } else if results[index].verdict == .credentialRefused {
                isRefused = true
            }
        }
        if let latest { window.answered(handedOutAt: latest, at: now) }
        let hasRoom = window.takeHalfEmpty()
        windows[pool] = window
        return (hasRoom, isRefused)
    }

    private mutating func countInThrottle(_ results: [DeliveryResult], of pool: PoolKey, at now: Uptime) -> Bool {
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

    /// Returns true if no device of the app is quarantined for such an answer now.
    func isBreakerOpen(_ app: AppID, _ service: PushService, for answer: TokenAnswer) -> Bool {
        breakers[BreakerKey(app: app, service: service, answer: answer)]?.isOpen == true
    }

    /// Counts an answer about a token. Returns an alarm if the first breaker of the app and service opens with it, or
    /// the last closes.
    mutating func tokenAnswered(
        _ answer: TokenAnswer, of app: AppID, for service: PushService
    ) -> DeliveryEngine.Alarm? {
        // While no token is bad there is no breaker, and nothing to count.
        guard answer != .good || !breakers.isEmpty else { return nil }
        if answer != .good {
            let key = BreakerKey(app: app, service: service, answer: answer)
            if breakers[key] == nil {
                breakers[key] = TokenBreaker(limits: answer == .bad ? TokenBreaker.Limits() : TokenBreaker.unregistered)
            }
        }
        let keys = [TokenAnswer.bad, .unregistered].map { BreakerKey(app: app, service: service, answer: $0) }
        let wasOpen = keys.contains { breakers[$0]?.isOpen == true }
        for key in keys { _ = breakers[key]?.answered(isBad: key.answer == answer) }
        let isOpen = keys.contains { breakers[$0]?.isOpen == true }
        return isOpen == wasOpen ? nil : .badTokens(app, service, isOver: !isOpen)
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
