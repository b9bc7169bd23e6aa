import CarillonCore

/// Whether the provider accepts the credential of one pool, and for which of its apps.
///
/// One refusal says little: some pass by themselves within the hour, and some are about one app that shares the key
/// with others. So the app whose push was refused is tried again at once, one push at a time, on another connection.
/// Only if that is refused too, the app is parked: its deliveries wait on disk. It is tried again by itself, with one
/// push, after growing pauses. A connection that the provider ends because of the credential is about every app of the
/// pool, and is treated in the same way.
///
/// The pool counts as parked in two cases: every app of it is parked, or a second app was refused and none was accepted
/// since the first refusal. Then the other apps are tried with one push at a time as well. Durations are in
/// milliseconds.
struct CredentialGate: Sendable {
    /// What is handed out of an app's deliveries.
    enum Admission: Hashable {
        /// All of them.
        case open
        /// One at a time, until the provider has accepted one.
        case trial
        /// None.
        case closed
    }

    /// A delivery that shows whether the provider accepts the credential.
    struct Trial: Hashable {
        var app: AppID
        var message: MessageID
        var page: UInt32
        var position: UInt16
    }

    /// What was decided about an app, or about all apps of the pool if the app is nil.
    enum Decision: Hashable {
        /// Nothing is handed out until that time.
        case parked(AppID?, until: Uptime, isFirst: Bool)
        /// The provider accepts it again. `wasParked` is true if its deliveries may be on disk: it was parked while the
        /// trial was on its way.
        case accepted(AppID?, wasParked: Bool)
    }

    /// A credential that was refused, for one app or altogether.
    private struct Refusal {
        /// When the credential was refused first.
        var since: Uptime
        /// The number of trials in a row that were refused.
        var trials = 0
        /// When it is tried again; nil while it is being tried.
        var until: Uptime?

        mutating func trialRefused(at now: Uptime) -> Uptime {
            trials += 1
            let end = now + CredentialGate.pauseMilliseconds[min(trials, CredentialGate.pauseMilliseconds.count) - 1]
            until = end
            return end
        }
    }

    /// Milliseconds from a trial that was refused to the next: 1, 5, 15, 60 minutes, and then an hour each.
    static let pauseMilliseconds: [UInt64] = [60_000, 300_000, 900_000, 3_600_000]

    /// The apps of the pool.
    private var served: Set<AppID>
    private var pool: Refusal?
    private var apps: [AppID: Refusal] = [:]
    /// The trial that has no answer yet.
    private(set) var trial: Trial?
    /// When the provider last accepted the credential, for any app.
    private var acceptedAt: Uptime?
    /// True if the credential counts as refused altogether.
    private(set) var isParked = false

    /// Makes the gate of a credential that was never refused.
    init(serving apps: Set<AppID>) {
        served = apps
    }

    /// True if nothing was refused: the gate is not needed.
    var isOpen: Bool { pool == nil && apps.isEmpty }

    /// The number of apps that were refused and are not accepted yet; all apps if the credential is refused altogether.
    var parkedCount: Int {
        (pool?.trials ?? 0) > 0 ? max(1, served.count) : apps.values.count { $0.trials > 0 }
    }

    /// What is handed out of an app's deliveries.
    func admission(of app: AppID) -> Admission {
        if pool?.until != nil || apps[app]?.until != nil { return .closed }
        return pool != nil || apps[app] != nil || isParked ? .trial : .open
    }

    /// Since when an app's deliveries are held up; nil if they are not.
    func heldSince(_ app: AppID) -> Uptime? {
        let others = isParked ? apps.values.map(\.since).min() : nil
        return [pool?.since, apps[app]?.since ?? others].compactMap { $0 }.min()
    }

    /// When the next parked app is tried again; nil if none is parked.
    var nextTrial: Uptime? { ([pool?.until] + apps.values.map(\.until)).compactMap { $0 }.min() }

    /// When an app whose deliveries are held up is tried again; nil while it is being tried, or if it is not held up.
    func nextTrial(of app: AppID) -> Uptime? { [pool?.until, apps[app]?.until].compactMap { $0 }.max() }

    /// The apps of the pool have changed.
    mutating func serve(_ apps: Set<AppID>) {
        served = apps
        self.apps = self.apps.filter { apps.contains($0.key) }
        update()
    }

    // MARK: Trials

    /// A delivery of an app on trial was handed out.
    mutating func handedOut(_ trial: Trial) {
        self.trial = trial
    }

    /// Allows a trial of the pool, and of each app, whose pause is over; returns true if it allowed any.
    mutating func timerFired(at now: Uptime) -> Bool {
        guard let next = nextTrial, next <= now else { return false }
        if let until = pool?.until, until <= now { pool?.until = nil }
        for (app, refusal) in apps where refusal.until.map({ $0 <= now }) ?? false { apps[app]?.until = nil }
        return true
    }

    // MARK: Answers

    /// The credential was refused with a delivery.
    mutating func refused(_ delivery: Trial, at now: Uptime) -> Decision? {
        defer { update() }
        guard delivery == trial else {
            // Deliveries that were handed out before are refused later, on the same connections.
            if admission(of: delivery.app) == .open { apps[delivery.app] = Refusal(since: now) }
            return nil
        }
        trial = nil
        if pool != nil { return poolRefused(at: now) }
        let isFirst = (apps[delivery.app]?.trials ?? 0) == 0
        let until = apps[delivery.app, default: Refusal(since: now)].trialRefused(at: now)
        return .parked(delivery.app, until: until, isFirst: isFirst)
    }

    /// The provider has ended a connection because of the credential.
    mutating func connectionRefused(at now: Uptime) -> Decision? {
        defer { update() }
        guard pool != nil else {
            pool = Refusal(since: now)
            return nil
        }
        // The provider ends the other connections of the pool later, for the same reason.
        return pool?.until == nil ? poolRefused(at: now) : nil
    }

    private mutating func poolRefused(at now: Uptime) -> Decision? {
        let isFirst = (pool?.trials ?? 0) == 0
        guard let until = pool?.trialRefused(at: now) else { return nil }
        return .parked(nil, until: until, isFirst: isFirst)
    }

    /// The provider has answered a delivery, and its answer is not about the credential: it accepts the credential.
    mutating func accepted(_ delivery: Trial, at now: Uptime) -> Decision? {
        defer { update() }
        acceptedAt = now
        guard delivery == trial else { return nil }
        trial = nil
        let (all, one) = (pool, apps.removeValue(forKey: delivery.app))
        pool = nil
        let wasParked = all?.until != nil || one?.until != nil
        if (all?.trials ?? 0) > 0 { return .accepted(nil, wasParked: wasParked) }
        return (one?.trials ?? 0) > 0 ? .accepted(delivery.app, wasParked: wasParked) : nil
    }

    /// A delivery came back without an answer that says anything about the credential.
    mutating func undecided(_ delivery: Trial) {
        if delivery == trial { trial = nil }
    }

    private mutating func update() {
        let refused = apps.filter { $0.value.trials > 0 }
        let first = refused.values.map(\.since).min() ?? 0
        let isSecond = refused.count > 1 && (acceptedAt.map { $0 < first } ?? true)
        isParked = (pool?.trials ?? 0) > 0 || !refused.isEmpty && served.isSubset(of: refused.keys) || isSecond
    }
}
