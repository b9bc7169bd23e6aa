package import CarillonCore

/// The events of the clock.
extension DeliveryEngine {
    /// Makes the due recipients ready.
    package mutating func timerFired(at now: Moment) {
        let uptime = now.uptime
        pools.wakeDuePools(at: uptime, &actions)
        // The deliveries of a parked app are on disk. They are read again, so that one of them can be the trial.
        if pools.availability.takeDueTrials(at: uptime) { readPendingAgain(at: now) }
        messages.rereadDue(at: uptime)
        outcomes.timerFired(at: now)
        while let key = cache.takeDueTimer(at: uptime) {
            let isInMemory = withPage(key, at: now) { engine, page in engine.timerFired(&page) }
            guard !isInMemory, messages[key.message]?.requestDuePage(key.page) == true else { continue }
            messages.requestPage(of: key.message)
        }
    }

    /// Makes the due recipients of a page ready, or ends them if the time of their message is over.
    private mutating func timerFired(_ page: inout CheckedOutPage) {
        let uptime = page.now.uptime
        let routes = routes(of: page)
        for position in page.run.takeDue(at: uptime) where page.run.state(at: position) == .delayed {
            if let outcome = page.terms.finalOutcome(at: page.now) {
                page.end(position, as: outcome)
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
        if pools.availability.detectStalledPools(at: now.uptime, in: cache) {
            // Whether a page holds back the next one depends on which pools are stalled.
            checkInEveryPage(at: now)
        }
        let passed = messages.all.filter { $0.value.terms.finalOutcome(at: now) != nil }.keys.sorted()
        for id in passed { endWaiting(of: id, at: now) }
        giveUpWaiting(at: now)
    }
}
