package import CarillonCore

/// The events of the clock.
extension DeliveryEngine {
    /// Makes the due recipients ready.
    package mutating func timerFired(at now: Moment) {
        let uptime = now.uptime
        pools.wakeDuePools(at: uptime, &actions)
        // The deliveries of a parked app are on disk. They are read again, so that one of them can be the trial.
        if pools.gates.takeDueTrials(at: uptime) { readPendingAgain(at: now) }
        messages.rereadDue(at: uptime)
        outcomes.timerFired(at: now)
        while let key = cache.takeDueTimer(at: uptime) {
            let wasInMemory: Void? = withPage(key, at: now) { engine, page in engine.timerFired(&page) }
            guard wasInMemory == nil, messages[key.message]?.requestDuePage(key.page) == true else { continue }
            messages.requestPage(of: key.message)
        }
    }

    private mutating func timerFired(_ page: inout CheckedOutPage) {
        let uptime = page.now.uptime
        let routes = routes(of: page)
        for position in page.run.takeDue(at: uptime) where page.run.state(at: position) == .delayed {
            if let outcome = page.message.finalOutcome(at: page.now) {
                page.end(position, outcome)
            } else {
                page.makeReady(position, routes: routes)
            }
        }
        if let next = page.run.earliestDue { page.setTimer(at: next) }
        // The page may be in no queue because its message had used up its pace.
        enqueueReady(&page)
    }

    /// Ends recipients whose message is past its time, even if no connection asks for them, and notices pools that do
    /// not ask. Call it about once a second.
    package mutating func expirePassed(at now: Moment) {
        if pools.gates.detectAbsence(at: now.uptime, in: cache) {
            // Whether a page holds back the next one depends on which pools are absent.
            checkInEveryPage(at: now)
        }
        let passed = messages.all.filter { $0.value.terms.finalOutcome(at: now) != nil }.keys.sorted()
        for id in passed { endWaiting(of: id, at: now) }
        giveUpWaiting(at: now)
    }

    // MARK: Pools that cannot be used

    /// Returns the time at which the recipients of a message for a destination end as `gave-up`, because the message is
    /// tried once and its pool cannot be used. Nil if there is no such time.
    func endOfWaiting(of message: MessageTerms, in destination: PushDestination) -> Uptime? {
        guard message.isTriedOnce, let since = pools.gates.unusableSince(message.app, destination) else { return nil }
        return max(message.sendableSince, since) + policy.onceHorizonMilliseconds
    }

    /// Returns true if the recipients of a message for a destination have waited longer for their pool than a push that
    /// is tried once may.
    func hasWaitedTooLong(_ message: MessageTerms, in destination: PushDestination, at now: Moment) -> Bool {
        endOfWaiting(of: message, in: destination).map { now.uptime > $0 } ?? false
    }

    /// Ends the recipients in memory that have waited too long for their pool.
    private mutating func giveUpWaiting(at now: Moment) {
        guard pools.gates.hasUnusablePools else { return }
        for id in messages.all.filter({ $0.value.terms.isTriedOnce }).keys.sorted() {
            guard let run = messages[id] else { continue }
            for destination in PushDestination.allCases where hasWaitedTooLong(run.terms, in: destination, at: now) {
                for number in run.open.sorted() {
                    withPage(PageKey(message: id, page: number), at: now) { _, page in
                        page.giveUpWaiting(for: destination)
                    }
                }
            }
        }
    }

    /// Ends, or leaves pending, all recipients of a message that wait in memory, and all its pages that are suspended.
    mutating func endWaiting(of id: MessageID, at now: Moment) {
        guard let run = messages[id] else { return }
        let outcome = run.terms.finalOutcome(at: now)
        // Messages that have a recipient to send to come before it.
        if run.needsFirstPage && outcome != nil { messages.yieldFirstPage(of: id) }
        for number in run.open.sorted() {
            let key = PageKey(message: id, page: number)
            let wasInMemory: Void? = withPage(key, at: now) { _, page in
                if let outcome {
                    page.endAllWaiting(outcome)
                } else if run.terms.isLeaving {
                    page.leaveAllWaiting()
                }
            }
            guard wasInMemory == nil, run.suspended.contains(number) else { continue }
            if run.terms.isLeaving {
                cache.pagesResumed()
                messages[id]?.leaveIncomplete(number)
                close(key)
            } else {
                _ = messages[id]?.requestDuePage(number)
            }
        }
        messages.requestPage(of: id)
        removeIfDone(id, at: now)
    }
}
