import CarillonCore

/// The availability of the pools: which of them take deliveries.
///
/// A pool can be in several of these states:
///
/// | State | The pool | Its deliveries |
/// |---|---|---|
/// | refused (`CredentialGate`) | has a credential that the provider refuses, for some or all apps | are parked |
/// | unreachable | reports that it has no connection | stay on disk |
/// | stalled | does not ask for the work that waits for it | are in memory, and hold back no others |
///
/// A pool that is refused or unreachable is *down*. A pool that is down or stalled is *unusable*.
struct PoolAvailability: Sendable {
    /// The state of the way to one destination, for the recipients of an app.
    enum Route {
        /// The recipients can be sent to the pool of the app.
        case available
        /// The recipients can be sent nowhere now: the provider refuses the credential of the pool, for the app or
        /// altogether.
        case parked
        /// The recipients can be sent nowhere now: the pool has no connection.
        case unreachable
        /// The recipients can be sent nowhere: no pool serves them.
        case missing
    }

    private let limits: DeliveryEngine.Limits
    private let policy: RetryPolicy
    private(set) var routes: Routes
    /// The gates of the pools whose credentials are refused.
    private var credentials: [PoolKey: CredentialGate] = [:]
    /// The unreachable pools, each with the uptime since which it does not ask for work.
    private var unreachable: [PoolKey: Uptime] = [:]
    /// The stalled pools: they have no connection, or none with a free stream.
    private(set) var stalled: Set<PoolKey> = []
    /// The time at which each pool last asked for work, or last had none waiting.
    private var askedAt: [PoolKey: Uptime] = [:]

    init(routes: Routes, limits: DeliveryEngine.Limits, policy: RetryPolicy) {
        self.routes = routes
        self.limits = limits
        self.policy = policy
    }

    // MARK: Routes

    /// Returns the pool of an app for a destination; nil if no pool serves it.
    func pool(of app: AppID, to destination: PushDestination) -> PoolKey? { routes.pool(for: app, at: destination) }

    /// Returns the routes of an app, which are looked up once for many recipients.
    func routes(of app: AppID) -> ByDestination<Route> {
        ByDestination { destination in
            guard let pool = routes.pool(for: app, at: destination) else { return .missing }
            if credentials[pool]?.admission(of: app) == .parked { return .parked }
            return unreachable[pool] != nil ? .unreachable : .available
        }
    }

    /// Returns the destinations for which the pool of an app is stalled; nil if no pool is stalled.
    func stalledDestinations(of app: AppID) -> ByDestination<Bool>? {
        if stalled.isEmpty { return nil }
        return ByDestination { destination in
            routes.pool(for: app, at: destination).map(stalled.contains) ?? false
        }
    }

    /// True if a pool is down: recipients of it may have been kept on disk.
    var hasDownPools: Bool { !credentials.isEmpty || !unreachable.isEmpty }

    /// True if a pool is down or stalled. Usually false: then callers need not look at the pools of each app.
    var hasUnusablePools: Bool { hasDownPools || !stalled.isEmpty }

    /// Returns the uptime since which the pool of an app is unusable; nil if the pool can be used, or if no pool serves
    /// the app.
    func unusableSince(of app: AppID, to destination: PushDestination) -> Uptime? {
        guard hasUnusablePools, let pool = routes.pool(for: app, at: destination) else { return nil }
        let times = [
            credentials[pool]?.refusedSince(for: app), unreachable[pool], stalled.contains(pool) ? askedAt[pool] : nil,
        ]
        return times.compactMap { $0 }.min()
    }

    /// Takes other routes. Pools that are in none of them are forgotten by `forgetUnroutedPools`.
    mutating func change(to routes: Routes) {
        self.routes = routes
        stalled.formIntersection(routes.all)
        for pool in credentials.keys { credentials[pool]?.servedAppsChanged(to: routes.apps(of: pool)) }
    }

    /// Forgets the refused and the unreachable pools that serve no app any more.
    mutating func forgetUnroutedPools() {
        let all = routes.all
        credentials = credentials.filter { all.contains($0.key) && !$0.value.admitsAll }
        unreachable = unreachable.filter { all.contains($0.key) }
    }

    // MARK: Waiting for a pool

    /// Returns the routes of the recipients of a message, which are looked up once for many of them.
    func routes(of properties: LoadedMessage.Properties, at now: Moment) -> PageRoutes {
        let routes = self.routes(of: properties.app)
        guard hasUnusablePools, properties.isOnlyForNow else { return PageRoutes(routes, endsWaiting: nil) }
        return PageRoutes(routes, endsWaiting: ByDestination { hasWaitedTooLong(properties, in: $0, at: now) })
    }

    /// Returns true if the recipients of a message for a destination have waited longer for their pool than a push that
    /// is only for now may: they end as `gave-up`.
    func hasWaitedTooLong(_ properties: LoadedMessage.Properties, in destination: PushDestination, at now: Moment)
        -> Bool
    {
        endOfWaiting(of: properties, in: destination).map { now.uptime > $0 } ?? false
    }

    /// Returns the last time at which the recipients of a message for a destination wait, because the message is only
    /// for now and its pool is unusable; nil if there is no such time.
    private func endOfWaiting(of properties: LoadedMessage.Properties, in destination: PushDestination) -> Uptime? {
        guard properties.isOnlyForNow, let since = unusableSince(of: properties.app, to: destination) else {
            return nil
        }
        return max(properties.sendableSince, since) + policy.onlyForNowHorizonMilliseconds
    }

    /// Returns true if a recipient of a message could get an outcome now: a pool of the app is available, no pool
    /// serves the app, or the message is cancelled or past its time.
    func canEndRecipients(of properties: LoadedMessage.Properties, at now: Moment) -> Bool {
        let routes = self.routes(of: properties.app)
        let isAvailable = PushDestination.allCases.contains { routes[$0] == .available }
        let isServed = PushDestination.allCases.contains { routes[$0] != .missing }
        return isAvailable || !isServed || properties.finalOutcome(at: now) != nil
    }

    /// Returns the time at which the recipients of a message that were kept on disk for pools that are down will end,
    /// if these pools stay down; nil if there is no such time.
    func endOfLeftRecipients(of properties: LoadedMessage.Properties, at now: Moment) -> Uptime? {
        guard hasDownPools, properties.finalOutcome(at: now) == nil else { return nil }
        let routes = self.routes(of: properties.app)
        let down = PushDestination.allCases.filter { routes[$0] == .unreachable || routes[$0] == .parked }
        guard !down.isEmpty else { return nil }
        var ends = down.compactMap { endOfWaiting(of: properties, in: $0) }
        if properties.lastAttemptAt < LoadedMessage.Properties.never {
            ends.append(now.uptime.later(byMilliseconds: properties.lastAttemptAt.milliseconds(since: now.wall)))
        }
        guard let last = ends.min(), last < .max else { return nil }
        // At the last time itself the message may still be sent.
        return max(last, now.uptime) + 1
    }

    // MARK: Reachable pools

    /// Marks a pool as unreachable that has had no connection for a while. Returns true if that was not known.
    mutating func poolBecameUnreachable(_ pool: PoolKey, at now: Uptime) -> Bool {
        guard unreachable[pool] == nil else { return false }
        unreachable[pool] = askedAt[pool] ?? now
        return true
    }

    /// Marks a pool as reachable that has a connection again. Returns true if it had none before.
    mutating func poolBecameReachable(_ pool: PoolKey) -> Bool {
        guard unreachable.removeValue(forKey: pool) != nil else { return false }
        stalled.remove(pool)
        return true
    }

    /// Called when a pool has another credential, or its credential must be tried at once: the pool counts as usable.
    /// Returns true if the pool was down.
    mutating func poolRestarted(_ pool: PoolKey) -> Bool {
        // A new pool may have this key now. It reports by itself if it cannot reach the provider.
        let wasUnreachable = unreachable.removeValue(forKey: pool) != nil
        return credentials.removeValue(forKey: pool) != nil || wasUnreachable
    }

    // MARK: Credentials

    /// Returns the admission of an app's deliveries by the credential of a pool.
    func admission(of app: AppID, to pool: PoolKey) -> CredentialGate.Admission {
        credentials.isEmpty ? .admitted : credentials[pool]?.admission(of: app) ?? .admitted
    }

    /// Returns how many of `limit` deliveries the credential of a pool lets go.
    func allowance(of pool: PoolKey, with admission: CredentialGate.Admission, limit: Int) -> Int {
        switch admission {
        case .admitted: limit
        case .trial: trial(of: pool) == nil ? min(limit, 1) : 0
        case .parked: 0
        }
    }

    /// Remembers the delivery that was handed out to try the credential of a pool.
    mutating func beginTrial(_ trial: CredentialGate.Trial, of pool: PoolKey) {
        withCredential(of: pool) { $0.trialHandedOut(trial) }
    }

    /// Returns the trial of a pool that has no answer yet; nil if the pool has none.
    func trial(of pool: PoolKey) -> CredentialGate.Trial? { credentials[pool]?.trial }

    /// Returns true if the provider has refused the pool's credential, for all of its apps or for some, and has not
    /// accepted it since.
    func hasRefusedCredential(_ pool: PoolKey) -> Bool { credentials[pool] != nil }

    /// The state of the credentials that were refused and are not accepted yet.
    var refusedCredentials: [PoolKey: (isParked: Bool, parkedApps: Int)] {
        credentials.mapValues { ($0.isParked, $0.parkedCount) }
    }

    /// Returns the refusal of the credential of an app for a destination; nil if its credential is not refused for it.
    func refusal(of app: AppID, to destination: PushDestination) -> DeliveryEngine.CredentialRefusal? {
        guard let pool = routes.pool(for: app, at: destination), let gate = credentials[pool],
            let since = gate.refusedSince(for: app)
        else { return nil }
        return DeliveryEngine.CredentialRefusal(since: since, nextTrial: gate.nextTrial(of: app))
    }

    /// The effect of a change of a pool's credential.
    struct CredentialChange {
        /// The decision about an app or the pool; nil if none was made.
        let decision: CredentialGate.Decision?
        /// True if the trial that had no answer before has ended.
        let hasTrialEnded: Bool
        /// True if the credential counted as refused altogether before.
        let wasParked: Bool
        /// True if the credential counts as refused altogether now.
        let isParked: Bool

        /// True if recipients that wait in memory may go now: the next trial, or all.
        var admitsWaiting: Bool { hasTrialEnded || wasParked != isParked }
    }

    /// Changes the gate of a pool's credential, and returns what this means for the recipients that wait.
    mutating func changeCredential(
        of pool: PoolKey, _ change: (inout CredentialGate) -> CredentialGate.Decision?
    ) -> CredentialChange {
        withCredential(of: pool) { gate in
            let hadTrial = gate.trial != nil
            let wasParked = gate.isParked
            let decision = change(&gate)
            return CredentialChange(
                decision: decision, hasTrialEnded: hadTrial && gate.trial == nil, wasParked: wasParked,
                isParked: gate.isParked)
        }
    }

    /// Changes the gate of a pool's credential in place. A gate is made if the pool has none, and removed once it
    /// admits all apps.
    mutating func withCredential<R>(of pool: PoolKey, _ body: (inout CredentialGate) -> R) -> R {
        var gate = credentials.removeValue(forKey: pool) ?? CredentialGate(serving: routes.apps(of: pool))
        let result = body(&gate)
        if !gate.admitsAll { credentials[pool] = gate }
        return result
    }

    /// The time at which a refused credential is next to be tried; nil if there is none.
    var nextTrial: Uptime? { credentials.values.compactMap(\.nextTrial).min() }

    /// Allows a trial of each refused credential whose delay is over; returns true if it allowed any.
    mutating func takeDueTrials(at now: Uptime) -> Bool {
        guard let next = nextTrial, next <= now else { return false }
        for pool in credentials.keys { _ = credentials[pool]?.timerFired(at: now) }
        return true
    }

    // MARK: Stalled pools

    mutating func poolAskedForWork(_ pool: PoolKey, at now: Uptime) {
        askedAt[pool] = now
        if !stalled.isEmpty { stalled.remove(pool) }
    }

    /// Looks for pools that do not ask although pages wait for them. Returns true if it has found a new one.
    ///
    /// Recipients that wait for such a pool must not hold back the pages of others. Otherwise a few devices of a
    /// sandbox that cannot be reached would stop a message to all.
    mutating func detectStalledPools(at now: Uptime, in queues: PoolQueues) -> Bool {
        var isNew = false
        for pool in routes.all {
            guard queues.hasPages(for: pool), let at = askedAt[pool] else {
                askedAt[pool] = now
                continue
            }
            guard now.milliseconds(since: at) >= limits.stallMilliseconds else { continue }
            if stalled.insert(pool).inserted { isNew = true }
        }
        return isNew
    }
}
