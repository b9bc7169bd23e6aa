import CarillonCore

/// The gate of one pool's credential, which knows whether the provider accepts it, and for which of the pool's apps.
///
/// One refusal says little: some pass by themselves within the hour, and some are about one app that shares the key
/// with others. So the app whose push was refused is tried again at once, one push at a time, on another connection.
/// Only if that push is refused too, the app is parked: its deliveries wait on disk. After growing delays one push
/// tries the app again. If the provider ends a connection because of the credential, that concerns every app of the
/// pool, and is treated in the same way.
///
/// The pool counts as parked in two cases: every app of it is parked, or a second app was refused and none was accepted
/// since the first refusal. Then the other apps are tried with one push at a time as well. Durations are in
/// milliseconds.
struct CredentialGate: Sendable {
    /// The state of an app: whether all its deliveries are handed out, one at a time, or none.
    enum Admission: Hashable {
        /// All deliveries are handed out.
        case admitted
        /// One delivery at a time is handed out, until the provider has accepted one.
        case trial
        /// No delivery is handed out: they wait on disk for the next trial.
        case parked
    }

    /// A delivery that shows whether the provider accepts the credential.
    struct Trial: Hashable {
        var app: AppID
        var message: MessageID
        var page: UInt32
        var position: UInt16
    }

    /// The evidence of a result about the credential.
    enum Report: Hashable {
        case accepted
        case refused
        /// The result does not show what the provider thinks of the credential.
        case undecided

        init(_ verdict: Verdict) {
            switch verdict {
            case .credentialRefused: self = .refused
            case .delivered, .refused, .tryLater(.throttled, _): self = .accepted
            case .tryLater(.serverBusy, _), .tryLater(.heldBack, _), .notProcessed, .unknown: self = .undecided
            }
        }
    }

    /// A decision about an app, or about all apps of the pool if the app is nil.
    enum Decision: Hashable {
        /// The deliveries are parked: none is handed out until that time.
        case parked(AppID?, until: Uptime, isFirst: Bool)
        /// The provider accepts the credential again. `wasParked` is true if its deliveries may be on disk: it was
        /// parked while the trial was on its way.
        case accepted(AppID?, wasParked: Bool)
    }

    /// The refusal of the credential, for one app or altogether.
    private struct Refusal {
        /// The time of the first refusal.
        var since: Uptime
        /// The number of trials in a row that were refused.
        var refusedTrials = 0
        /// The time of the next trial; nil while the credential is being tried.
        var nextTrialAt: Uptime?

        /// True if a trial was refused too: a first refusal alone says little.
        var isConfirmed: Bool { refusedTrials > 0 }

        mutating func trialRefused(at now: Uptime) -> Uptime {
            refusedTrials += 1
            let delays = CredentialGate.trialDelayMilliseconds
            let end = now + delays[min(refusedTrials, delays.count) - 1]
            nextTrialAt = end
            return end
        }
    }

    /// The milliseconds from a trial that was refused to the next: 1, 5, 15, 60 minutes, and then an hour each.
    static let trialDelayMilliseconds: [UInt64] = [60_000, 300_000, 900_000, 3_600_000]

    private var served: Set<AppID>
    /// The refusal of the credential altogether; nil if it was not refused, or is accepted again.
    private var poolRefusal: Refusal?
    /// The refusals of the credential for single apps.
    private var appRefusals: [AppID: Refusal] = [:]
    /// The trial that has no answer yet; nil if each trial was answered.
    private(set) var trial: Trial?
    /// The time at which the provider last accepted the credential, for any app; nil if it has not.
    private var acceptedAt: Uptime?
    /// True if the credential counts as refused altogether.
    private(set) var isParked = false

    init(serving apps: Set<AppID>) {
        served = apps
    }

    /// True if every app is admitted, because the credential is refused for none: the gate is not needed.
    var admitsAll: Bool { poolRefusal == nil && appRefusals.isEmpty }

    /// The number of apps that were refused and are not accepted yet; all apps if the credential is refused altogether.
    var parkedCount: Int {
        poolRefusal?.isConfirmed == true ? max(1, served.count) : appRefusals.values.count(where: \.isConfirmed)
    }

    func admission(of app: AppID) -> Admission {
        if poolRefusal?.nextTrialAt != nil || appRefusals[app]?.nextTrialAt != nil { return .parked }
        return poolRefusal != nil || appRefusals[app] != nil || isParked ? .trial : .admitted
    }

    /// Returns the time since which an app's deliveries are held up; nil if they are not.
    func refusedSince(for app: AppID) -> Uptime? {
        let others = isParked ? appRefusals.values.map(\.since).min() : nil
        return [poolRefusal?.since, appRefusals[app]?.since ?? others].compactMap { $0 }.min()
    }

    /// The time of the next trial, of the pool or of a parked app; nil if none is due.
    var nextTrial: Uptime? {
        ([poolRefusal?.nextTrialAt] + appRefusals.values.map(\.nextTrialAt)).compactMap { $0 }.min()
    }

    /// Returns the time at which an app whose deliveries are held up is tried again; nil while it is being tried, or if
    /// it is not held up.
    func nextTrial(of app: AppID) -> Uptime? {
        [poolRefusal?.nextTrialAt, appRefusals[app]?.nextTrialAt].compactMap { $0 }.max()
    }

    mutating func servedAppsChanged(to apps: Set<AppID>) {
        served = apps
        appRefusals = appRefusals.filter { apps.contains($0.key) }
        update()
    }

    // MARK: Trials

    /// Called when a delivery of an app on trial was handed out: it is the trial.
    mutating func trialHandedOut(_ trial: Trial) {
        self.trial = trial
    }

    /// Allows a trial of the pool, and of each app, whose delay is over; returns true if it allowed any.
    mutating func timerFired(at now: Uptime) -> Bool {
        guard let next = nextTrial, next <= now else { return false }
        if let time = poolRefusal?.nextTrialAt, time <= now { poolRefusal?.nextTrialAt = nil }
        for (app, refusal) in appRefusals where refusal.nextTrialAt.map({ $0 <= now }) ?? false {
            appRefusals[app]?.nextTrialAt = nil
        }
        return true
    }

    // MARK: Answers

    /// Called when a delivery was refused because of its credential. Decides about its app, or the pool; nil if that
    /// decides nothing.
    mutating func trialRefused(_ delivery: Trial, at now: Uptime) -> Decision? {
        defer { update() }
        guard delivery == trial else {
            // Deliveries that were handed out before are refused later, on the same connections.
            if admission(of: delivery.app) == .admitted { appRefusals[delivery.app] = Refusal(since: now) }
            return nil
        }
        trial = nil
        if poolRefusal != nil { return poolRefused(at: now) }
        let isFirst = appRefusals[delivery.app]?.isConfirmed != true
        let until = appRefusals[delivery.app, default: Refusal(since: now)].trialRefused(at: now)
        return .parked(delivery.app, until: until, isFirst: isFirst)
    }

    /// Called when the provider has ended a connection of the pool because of the credential. Decides about the pool;
    /// nil if that decides nothing.
    mutating func connectionRefused(at now: Uptime) -> Decision? {
        defer { update() }
        guard poolRefusal != nil else {
            poolRefusal = Refusal(since: now)
            return nil
        }
        // The provider ends the other connections of the pool later, for the same reason.
        return poolRefusal?.nextTrialAt == nil ? poolRefused(at: now) : nil
    }

    private mutating func poolRefused(at now: Uptime) -> Decision? {
        let isFirst = poolRefusal?.isConfirmed != true
        guard let until = poolRefusal?.trialRefused(at: now) else { return nil }
        return .parked(nil, until: until, isFirst: isFirst)
    }

    /// Called when the provider has answered a delivery, and not about the credential: so it accepts the credential.
    /// Returns nil if that changes nothing.
    mutating func trialAccepted(_ delivery: Trial, at now: Uptime) -> Decision? {
        defer { update() }
        acceptedAt = now
        guard delivery == trial else { return nil }
        trial = nil
        let refusalOfPool = poolRefusal
        let refusalOfApp = appRefusals.removeValue(forKey: delivery.app)
        poolRefusal = nil
        let wasParked = refusalOfPool?.nextTrialAt != nil || refusalOfApp?.nextTrialAt != nil
        if refusalOfPool?.isConfirmed == true { return .accepted(nil, wasParked: wasParked) }
        return refusalOfApp?.isConfirmed == true ? .accepted(delivery.app, wasParked: wasParked) : nil
    }

    /// Called when a delivery came back without an answer that says anything about the credential: ends its trial.
    mutating func trialUndecided(_ delivery: Trial) {
        if delivery == trial { trial = nil }
    }

    private mutating func update() {
        let refused = appRefusals.filter { $0.value.isConfirmed }
        let first = refused.values.map(\.since).min() ?? 0
        let isPoolRefused = poolRefusal?.isConfirmed == true
        let isEveryAppRefused = !refused.isEmpty && served.isSubset(of: refused.keys)
        let isSecondAppRefused = refused.count > 1 && (acceptedAt.map { $0 < first } ?? true)
        isParked = isPoolRefused || isEveryAppRefused || isSecondAppRefused
    }
}
