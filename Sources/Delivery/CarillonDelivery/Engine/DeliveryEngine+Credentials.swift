package import CarillonCore

/// The credentials that the provider refuses. `CredentialGate` makes the decisions.
extension DeliveryEngine {
    /// Called when the provider has ended a connection of a pool because of the credential.
    package mutating func credentialRefused(of pool: PoolKey, reason: String, at now: Moment) {
        let uptime = now.uptime
        changeCredential(of: pool, reason: reason, at: now) { $0.connectionRefused(at: uptime) }
    }

    /// The pools whose credential was refused and is not accepted yet: whether it counts as refused altogether, and the
    /// number of apps for which it is refused.
    package var refusedCredentials: [PoolKey: (isParked: Bool, parkedApps: Int)] {
        pools.availability.refusedCredentials
    }

    /// The refusal of a credential for one app.
    package struct CredentialRefusal: Hashable, Sendable {
        /// The time since which the app's deliveries are held up.
        package var since: Uptime
        /// The time at which a delivery tries the credential again; nil while one is trying it.
        package var nextTrial: Uptime?
    }

    /// Returns the pool of an app for a destination, and the refusal of its credential; nil if no pool serves them.
    package func route(of app: AppID, to destination: PushDestination) -> (pool: PoolKey, refusal: CredentialRefusal?)?
    {
        pools.availability.pool(of: app, to: destination).map {
            ($0, pools.availability.refusal(of: app, to: destination))
        }
    }

    // MARK: Trials

    /// Learns from results whether the provider accepts the credential of a pool.
    mutating func judgeCredential(by results: [AttemptResult], of pool: PoolKey, at now: Moment) {
        let uptime = now.uptime
        var wasAccepted = false
        // A span lends each element; the array would copy the element and retain its references.
        let span = results.span
        for index in span.indices {
            let delivery = CredentialGate.Trial(span[index].attempt)
            let isTrial = pools.availability.trial(of: pool) == delivery
            switch CredentialGate.Report(span[index].verdict) {
            case .refused:
                changeCredential(of: pool, reason: span[index].reason ?? "none", at: now) {
                    $0.trialRefused(delivery, at: uptime)
                }
            case .accepted:
                // One accepted delivery of the batch is enough. But the trial is always counted.
                guard pools.availability.hasRefusedCredential(pool), isTrial || !wasAccepted else { continue }
                wasAccepted = true
                changeCredential(of: pool, reason: "none", at: now) { $0.trialAccepted(delivery, at: uptime) }
            case .undecided:
                guard isTrial else { continue }
                changeCredential(of: pool, reason: "none", at: now) { gate in
                    gate.trialUndecided(delivery)
                    return nil
                }
            }
        }
    }

    /// Changes the credential of a pool, and carries out the decision: reports the alarm, and takes recipients out of
    /// memory or reads them again.
    private mutating func changeCredential(
        of pool: PoolKey, reason: String, at now: Moment,
        _ change: (inout CredentialGate) -> CredentialGate.Decision?
    ) {
        let change = pools.availability.changeCredential(of: pool, change)
        let isNewlyParked = change.isParked && !change.wasParked
        if isNewlyParked { actions.park(pool) }
        switch change.decision {
        case .parked(let app, let until, let isFirst):
            keepOnDisk(for: pool, of: app, at: now)
            actions.report(
                .credentialRefused(
                    pool, change.isParked ? nil : app, reason: reason,
                    trialMilliseconds: until.milliseconds(since: now.uptime), isFirst: isFirst || isNewlyParked))
        case .accepted(let app, let wasParked):
            actions.report(.credentialAccepted(pool, change.wasParked ? nil : app))
            if wasParked { readPendingAgain(at: now) }
        case nil: break
        }
        if change.admitsWaiting { enqueueWaiting(for: pool, at: now) }
    }

    /// Puts all loaded pages with a recipient for a pool into the queue of the pool.
    mutating func enqueueWaiting(for pool: PoolKey, at now: Moment) {
        withEveryPage(at: now) { engine, page in
            guard page.loaded.hasReady(pool.destination),
                engine.pools.availability.pool(of: page.properties.app, to: pool.destination) == pool
            else { return }
            engine.enqueue(&page, for: pool.destination)
        }
    }
}

extension CredentialGate.Trial {
    init(_ attempt: Attempt) {
        self.init(
            app: attempt.message.content.app, message: attempt.message.id, page: attempt.page,
            position: attempt.recipient.position)
    }
}
