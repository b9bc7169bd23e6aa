package import CarillonCore

/// The events of the clock.
extension DeliveryEngine {
    /// Does what is due: wakes pools, tries refused credentials again, reads queues again, writes buffered outcomes,
    /// and makes recipients ready.
    package mutating func timerFired(at now: Moment) {
        let uptime = now.uptime
        pools.wakeDuePools(at: uptime, &actions)
        // The deliveries of a parked app are on disk. They are read again, so that one of them can be the trial.
        if pools.availability.takeDueTrials(at: uptime) { readPendingAgain(at: now) }
        messages.rereadDue(at: uptime)
        outcomes.timerFired(at: now)
        while let key = timers.takeDue(at: uptime) {
            let isInMemory = withPage(key, at: now) { engine, page in
                let routes = engine.routes(of: page)
                page.timerFired(routes: routes)
                // The page may be in no queue because its message had used up its pace.
                engine.enqueueReady(&page)
            }
            guard !isInMemory, messages[key.message]?.requestDuePage(key.page) == true else { continue }
            messages.requestPage(of: key.message)
        }
    }

    /// Ends recipients whose message is past its time, even if no connection asks for them, and notices pools that do
    /// not ask. Call it about once a second.
    package mutating func expirePassed(at now: Moment) {
        if pools.availability.detectStalledPools(at: now.uptime, in: poolQueues) {
            // Whether a page holds back the next one depends on which pools are stalled.
            reconsiderEveryPage(at: now)
        }
        let passed = messages.all.filter { $0.value.properties.finalOutcome(at: now) != nil }.keys.sorted()
        for id in passed { endWaiting(of: id, at: now) }
        giveUpWaiting(at: now)
    }
}
