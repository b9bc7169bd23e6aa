import CarillonCore

/// The changes to the recipients of a page that is checked out.
extension DeliveryEngine {
    /// Makes a recipient ready or delayed, or gives it the outcome that it has without an attempt.
    mutating func schedule(
        _ position: UInt16, in page: inout CheckedOutPage, _ routes: ByDestination<PoolGates.Route>
    ) {
        guard let (_, recipient) = page.run.recipient(at: position) else {
            return end(position, page.message.outcomeOfMissing, in: &page)
        }
        if let outcome = recipient.ending ?? page.message.finalOutcome(at: page.now) {
            return end(position, outcome, in: &page)
        }
        guard !page.message.isLeaving else { return leavePending(position, in: &page) }
        // A retry is due by the steady clock, room in a silent-push budget by the wall clock.
        let clock = recipient.attempts > 0 ? steadyTime(at: page.now) : page.now.wall
        let wait = recipient.dueAt.milliseconds(since: clock)
        // No delay is longer than the horizon. If the clock was set back before a restart, that must not hold up the
        // delivery.
        guard wait > 0, wait <= policy.horizonMilliseconds else { return makeReady(position, in: &page, routes) }
        delay(position, in: &page, until: page.now.uptime + wait)
    }

    /// Makes a recipient ready for the pool that serves it; `checkIn` puts the page into the pool's queue.
    mutating func makeReady(
        _ position: UInt16, in page: inout CheckedOutPage, _ routes: ByDestination<PoolGates.Route>,
        atFront: Bool = false
    ) {
        guard let (_, recipient) = page.run.recipient(at: position) else {
            return end(position, page.message.outcomeOfMissing, in: &page)
        }
        guard !page.message.isLeaving else { return leavePending(position, in: &page) }
        let destination = page.run.destination(of: recipient)
        let route = routes[destination]
        if route == .open { return page.run.makeReady(position, destination, atFront: atFront) }
        // The token is bad in its own environment, and no pool serves the other environment any more.
        if destination != recipient.destination { return end(position, .badToken, in: &page) }
        if route == .missing {
            end(position, .noCredential, in: &page)
        } else if hasWaitedTooLong(page.message, in: destination, at: page.now) {
            giveUpWaiting(position, in: &page)
        } else {
            leavePending(position, in: &page)
        }
    }

    /// Leaves a recipient pending on disk, and removes it from memory.
    mutating func leavePending(_ position: UInt16, in page: inout CheckedOutPage) {
        page.run.move(position, to: .untracked)
        messages[page.key.message]?.leaveIncomplete(page.key.page)
    }

    /// Gives a recipient its outcome.
    mutating func end(
        _ position: UInt16, _ outcome: Outcome, in page: inout CheckedOutPage,
        death: OutcomeRecord.TokenDeath? = nil, movedTo: APNsEnvironment? = nil, registeredAt: Timestamp = .zero
    ) {
        page.run.end(
            OutcomeRecord.RecipientEnd(
                position: position, outcome: outcome, death: death, movedTo: movedTo, registeredAt: registeredAt))
        if outcome.isPush { outcomes.addUnrecorded() }
    }

    /// Ends a recipient that has waited too long for its pool. The provider has not got the push, so a crash repeats
    /// nothing.
    mutating func giveUpWaiting(_ position: UInt16, in page: inout CheckedOutPage) {
        page.run.end(OutcomeRecord.RecipientEnd(position: position, outcome: .gaveUp), wasWaiting: true)
    }

    /// Gives all recipients that are ready or delayed the same outcome.
    mutating func endAllWaiting(in page: inout CheckedOutPage, _ outcome: Outcome) {
        for position in page.run.takeAllWaiting() { end(position, outcome, in: &page) }
    }

    /// Makes a recipient wait until `due`.
    mutating func delay(_ position: UInt16, in page: inout CheckedOutPage, until due: Uptime) {
        page.run.delay(position, until: due)
        setTimer(for: &page, at: due)
    }

    /// Sets a timer that checks the page again no later than `due`.
    mutating func setTimer(for page: inout CheckedOutPage, at due: Uptime) {
        if let at = page.run.timerAt, at <= due { return }
        page.run.timerAt = due
        cache.addTimer(page.key, at: due)
        if cache.hasManyTimers { cache.removeStaleTimers(messages) }
    }

    // MARK: Queues in front of pools

    /// Puts a page into the queues of the pools for which recipients have become ready, and wakes those pools.
    mutating func enqueue(_ page: inout CheckedOutPage) {
        for destination in PushDestination.allCases where page.run.takeNeedsQueue(of: destination) {
            enqueue(&page, destination)
        }
    }

    /// Puts a page into the queues of all pools for which it has recipients that are ready, and wakes those pools.
    mutating func enqueueReady(_ page: inout CheckedOutPage) {
        for destination in PushDestination.allCases where page.run.hasReady(destination) { enqueue(&page, destination) }
    }

    /// Puts a page into the queue of the pool of a destination, if there is one, and wakes the pool.
    mutating func enqueue(_ page: inout CheckedOutPage, _ destination: PushDestination) {
        guard let pool = pools.gates.pool(for: page.message.app, destination) else { return }
        actions.wake.insert(pool)
        cache.enqueue(page.key, &page.run, lane: page.message.lane, pool: pool)
    }
}
