import CarillonCore

/// A page that one call of the engine works on, with its message and the other values that the work needs.
///
/// `LoadedPageStore.checkOut` and the arrival of a new page make one, and `DeliveryEngine` checks it in after the call.
/// It cannot be copied, so `loaded` has one reference and changes in place. The work on its recipients changes the page
/// alone: what it means for the rest of the engine is collected in `effects`.
struct CheckedOutPage: ~Copyable {
    /// The consequences for the rest of the engine, which applies them when the page is checked in.
    struct Effects {
        /// The number of new rows of pushes that the provider has accepted, or may have.
        var unrecorded = 0
        /// The number of attempts that were recorded for TRACE.
        var recordedAttempts = 0
        /// True if a recipient that is still pending was removed from memory, and is only on disk.
        var hasKeptOnDisk = false
        /// The time of the page's new timer; nil if none was set.
        var timer: Uptime?
    }

    let key: PageKey
    /// The properties of the message as they were when the page was checked out.
    let properties: LoadedMessage.Properties
    let now: Moment
    /// True if the message is a silent push; asked for each delivery.
    let isSilent: Bool
    var loaded: LoadedPage
    private(set) var effects = Effects()

    init(_ key: PageKey, loaded: consuming LoadedPage, properties: LoadedMessage.Properties, at now: Moment) {
        self.key = key
        self.properties = properties
        self.now = now
        self.loaded = loaded
        isSilent = properties.isSilent
    }

    func appDevice(_ device: DeviceID) -> AppDevice { AppDevice(app: properties.app, device: device) }

    /// Sets a timer that checks the page again no later than `due`.
    mutating func setTimer(at due: Uptime) {
        guard loaded.setTimer(at: due) else { return }
        effects.timer = due
    }

    /// Returns true if an attempt with that verdict is recorded for TRACE. A first attempt of the bulk lane that
    /// succeeds is not: a healthy fan-out costs nothing.
    func isRecorded(_ verdict: Verdict, at position: UInt16) -> Bool {
        switch verdict {
        case .delivered: properties.lane == .interactive || properties.isToChannel || loaded.wasTried(at: position)
        // A push that was held back was not attempted. But a push that is only for now may end because of that, and
        // TRACE must show why.
        case .tryLater(.heldBack, _): properties.isOnlyForNow
        case .refused, .credentialRefused, .tryLater, .notProcessed, .unknown: true
        }
    }

    /// Records an attempt for TRACE, unless its message has `limit` of them already.
    mutating func record(_ result: AttemptResult, limit: Int) {
        guard properties.recordedAttempts + effects.recordedAttempts < limit else { return }
        effects.recordedAttempts += 1
        let attempt = TraceAttempt(
            endedAt: now.wall, connectionNumber: result.connection, status: result.status, reason: result.reason ?? "",
            uniqueID: result.uniqueID)
        loaded.append(OutcomeRecord.RecordedAttempt(position: result.attempt.recipient.position, attempt: attempt))
    }
}

/// Changes the recipients of the page.
extension CheckedOutPage {
    /// Schedules all recipients of a page that was read. If its message has a pace, those that were tried before come
    /// after the others, as they do when the whole page is in memory.
    mutating func scheduleAll(routes: PageRoutes, times: inout RetryTimes) {
        let recipients = loaded.content.recipients
        guard properties.pace != nil else {
            for recipient in recipients { schedule(recipient.position, routes: routes, times: &times) }
            return
        }
        for isFirst in [true, false] {
            for recipient in recipients where (recipient.attempts == 0) == isFirst {
                schedule(recipient.position, routes: routes, times: &times)
            }
        }
    }

    /// Makes the due recipients ready, or ends them if the time of their message is over.
    mutating func timerFired(routes: PageRoutes) {
        for position in loaded.takeDue(at: now.uptime) where loaded.state(at: position) == .delayed {
            if let outcome = properties.finalOutcome(at: now) {
                end(position, as: outcome)
            } else {
                makeReady(position, routes: routes)
            }
        }
        if let next = loaded.earliestDue { setTimer(at: next) }
    }

    /// Makes a recipient ready or delayed, or gives it the outcome that it has without an attempt.
    mutating func schedule(_ position: UInt16, routes: PageRoutes, times: inout RetryTimes) {
        guard let (_, recipient) = loaded.recipient(at: position) else {
            return end(position, as: properties.outcomeOfMissing)
        }
        if let outcome = recipient.finalOutcome ?? properties.finalOutcome(at: now) {
            return end(position, as: outcome)
        }
        guard !properties.isUnloading else { return keepOnDisk(position) }
        // A retry is due by the steady clock, room in a silent-push budget by the wall clock.
        let clock = recipient.attempts > 0 ? times.steadyTime(at: now) : now.wall
        let left = recipient.dueAt.milliseconds(since: clock)
        // No delay is longer than the horizon. If the clock was set back before a restart, that must not hold up the
        // delivery.
        guard left > 0, left <= times.policy.horizonMilliseconds else { return makeReady(position, routes: routes) }
        delay(position, until: now.uptime + left)
    }

    /// Makes a recipient ready for the pool that serves it. The page enters the queue of the pool when it is checked
    /// in.
    mutating func makeReady(_ position: UInt16, routes: PageRoutes, atFront: Bool = false) {
        guard let (_, recipient) = loaded.recipient(at: position) else {
            return end(position, as: properties.outcomeOfMissing)
        }
        guard !properties.isUnloading else { return keepOnDisk(position) }
        let destination = loaded.destination(of: recipient)
        let route = routes[destination]
        if route == .available { return loaded.makeReady(position, for: destination, atFront: atFront) }
        // The token is bad in its own environment, and the pool of the other environment cannot be used any more.
        if destination != recipient.destination { return end(position, as: .badToken) }
        if route == .missing {
            end(position, as: .noCredential)
        } else if routes.endsWaiting(for: destination) {
            giveUpWaiting(position)
        } else {
            keepOnDisk(position)
        }
    }

    /// Decides anew about the recipients that are ready for a destination, because its route has changed: each is ready
    /// for the pool that serves it now, ends, or is kept on disk.
    mutating func rerouteReady(for destination: PushDestination, routes: PageRoutes) {
        while let position = loaded.takeReady(destination) { makeReady(position, routes: routes) }
    }

    /// Makes a recipient wait until `due`.
    mutating func delay(_ position: UInt16, until due: Uptime) {
        loaded.delay(position, until: due)
        setTimer(at: due)
    }

    /// Makes a recipient wait until `due`, and stores when it is due.
    private mutating func delay(_ position: UInt16, until due: Uptime, storing row: OutcomeRecord.Delay) {
        loaded.append(row)
        effects.unrecorded += 1
        guard !properties.isUnloading else { return keepOnDisk(position) }
        delay(position, until: due)
    }

    // MARK: Ends

    /// Gives a recipient its outcome, which the next record of the page writes.
    mutating func end(
        _ position: UInt16, as outcome: Outcome, deadToken: OutcomeRecord.DeadToken? = nil,
        movedTo: APNsEnvironment? = nil, registeredAt: Timestamp = .zero
    ) {
        loaded.end(
            OutcomeRecord.EndedRecipient(
                position: position, outcome: outcome, deadToken: deadToken, movedTo: movedTo,
                registeredAt: registeredAt))
        if outcome.mayHaveReachedProvider { effects.unrecorded += 1 }
    }

    /// Gives a recipient an outcome for which its device is quarantined.
    mutating func endAsDead(_ recipient: RecipientPage.Recipient, as outcome: Outcome) {
        let deadToken = OutcomeRecord.DeadToken(since: now.wall, registeredAt: recipient.registeredAt)
        end(recipient.position, as: outcome, deadToken: deadToken)
    }

    /// Gives all recipients that are ready or delayed the same outcome.
    mutating func endAllWaiting(_ outcome: Outcome) {
        for position in loaded.takeAllWaiting() { end(position, as: outcome) }
    }

    /// Ends a recipient that has waited too long for its pool. The provider has not got the push, so a crash repeats
    /// nothing.
    private mutating func giveUpWaiting(_ position: UInt16) {
        loaded.end(OutcomeRecord.EndedRecipient(position: position, outcome: .gaveUp), wasWaiting: true)
    }

    /// Ends the recipients that are ready for a destination and have waited too long for its pool.
    mutating func giveUpWaiting(for destination: PushDestination) {
        while let position = loaded.takeReady(destination) { giveUpWaiting(position) }
    }

    /// Removes a pending recipient from memory. It stays on disk, where a later read of the page finds it.
    mutating func keepOnDisk(_ position: UInt16) {
        loaded.move(position, to: .untracked)
        effects.hasKeptOnDisk = true
    }

    /// Removes all recipients that are ready or delayed from memory. They stay pending on disk.
    mutating func keepAllWaitingOnDisk() {
        for position in loaded.takeAllWaiting() { keepOnDisk(position) }
    }

    // MARK: Later attempts

    /// Puts a recipient whose push was not processed back to the front of its queue. Once it has come back more
    /// than `limit` times, it is retried like others.
    mutating func sendAgain(
        _ recipient: RecipientPage.Recipient, routes: PageRoutes, limit: UInt8, times: inout RetryTimes
    ) {
        let position = recipient.position
        guard loaded.countUnprocessed(at: position) <= limit else {
            let busy = times.policy.backoffs(of: recipient.destination.provider).busy
            return retry(position, with: busy, requestedMilliseconds: nil, times: &times)
        }
        if let outcome = properties.finalOutcome(at: now) { return end(position, as: outcome) }
        makeReady(position, routes: routes, atFront: true)
    }

    /// Delays a recipient until its next attempt, or ends it, after an attempt without a final answer.
    ///
    /// - Parameter requestedMilliseconds: the delay that the answer asks for, in milliseconds; nil if it asks for none.
    mutating func retry(
        _ position: UInt16, with backoff: DeliveryBackoff, requestedMilliseconds: UInt64?, times: inout RetryTimes
    ) {
        if let outcome = properties.finalOutcome(at: now) { return end(position, as: outcome) }
        let attempt = loaded.countAttempt(at: position)
        switch times.decide(
            with: backoff, after: attempt, of: properties, requestedMilliseconds: requestedMilliseconds, at: now)
        {
        case .giveUp:
            end(position, as: .gaveUp)
        case .retry(let milliseconds):
            let due = now.wall.later(byMilliseconds: milliseconds)
            guard due <= properties.lastAttemptAt else { return end(position, as: .expired) }
            let stored = times.steadyTime(at: now).later(byMilliseconds: milliseconds)
            delay(
                position, until: now.uptime + milliseconds,
                storing: OutcomeRecord.Delay(position: position, attempts: attempt, dueAt: stored))
        }
    }

    /// Delays a recipient whose push was not sent, without counting an attempt.
    ///
    /// The delay is stored. The page may leave the memory and be read again before it is over. Without a stored delay
    /// the recipients of the slow push service would then be ready at once, and take the place of others.
    mutating func holdBack(_ position: UInt16, milliseconds: UInt64, times: inout RetryTimes) {
        if let outcome = properties.finalOutcome(at: now) { return end(position, as: outcome) }
        guard now.wall.later(byMilliseconds: milliseconds) <= properties.lastAttemptAt else {
            return end(position, as: .expired)
        }
        guard case .retry(let spread) = times.decideHeldBack(milliseconds: milliseconds, of: properties, at: now) else {
            return end(position, as: .gaveUp)
        }
        // A push does not expire because of the random part of its delay alone.
        let left = properties.lastAttemptAt.milliseconds(since: now.wall)
        let delayMilliseconds = max(milliseconds, min(spread, left))
        let attempts = loaded.attempts(at: position)
        let clock = attempts > 0 ? times.steadyTime(at: now) : now.wall
        delay(
            position, until: now.uptime + delayMilliseconds,
            storing: OutcomeRecord.Delay(
                position: position, attempts: attempts, dueAt: clock.later(byMilliseconds: delayMilliseconds)))
    }
}

/// The routes of the recipients of a page, which are looked up once for many recipients.
struct PageRoutes {
    private let routes: ByDestination<PoolAvailability.Route>
    /// The destinations whose recipients have waited too long for their pool; nil if there are none.
    private let endsWaiting: ByDestination<Bool>?

    init(_ routes: ByDestination<PoolAvailability.Route>, endsWaiting: ByDestination<Bool>?) {
        self.routes = routes
        self.endsWaiting = endsWaiting
    }

    subscript(destination: PushDestination) -> PoolAvailability.Route { routes[destination] }

    /// Returns true if recipients for a destination have waited longer for their pool than a push that is only for now
    /// may.
    func endsWaiting(for destination: PushDestination) -> Bool { endsWaiting?[destination] ?? false }
}
