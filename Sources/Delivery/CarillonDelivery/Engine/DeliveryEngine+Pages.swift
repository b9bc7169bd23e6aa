import CarillonCore

/// The pages in memory: how they enter it, are worked on, wait for pools, and leave it.
extension DeliveryEngine {
    // MARK: Into memory, and out of it

    /// Adds a page that was read to the pages in memory.
    mutating func insert(_ page: RecipientPage, sequence: UInt64, at now: Moment) {
        let key = PageKey(message: page.message, page: page.number)
        guard let properties = messages.properties(of: key.message) else { return }
        var fresh = CheckedOutPage(key, loaded: LoadedPage(page, sequence: sequence), properties: properties, at: now)
        pages.countRecipients(fresh.loaded.countedRecipients, of: properties.queue)
        let routes = routes(of: fresh)
        fresh.scheduleAll(routes: routes, times: &retryTimes)
        if properties.pace != nil { keepPacedRecipients(of: &fresh) }
        checkIn(fresh)
    }

    /// Keeps only the recipients of a page in memory that a message with a pace can hand out soon.
    mutating func keepPacedRecipients(of page: inout CheckedOutPage) {
        // The pace may have changed since the page was checked out.
        guard let limit = messages.properties(of: page.key.message)?.pacedRecipients(limits) else { return }
        let before = page.loaded.countedRecipients
        page.loaded.keepReady(atMost: limit, stalled: pools.availability.stalledDestinations(of: page.properties.app))
        pages.countRecipients(page.loaded.countedRecipients - before, of: page.properties.queue)
    }

    /// Checks a page out, gives it to `body` with the engine, and checks it in. Returns false if the page is not in
    /// memory.
    @discardableResult
    mutating func withPage(
        _ key: PageKey, at now: Moment, _ body: (inout DeliveryEngine, inout CheckedOutPage) -> Void
    ) -> Bool {
        guard let properties = messages.properties(of: key.message),
            var page = pages.checkOut(key, properties: properties, at: now)
        else { return false }
        body(&self, &page)
        checkIn(page)
        return true
    }

    mutating func withEveryPage(at now: Moment, _ body: (inout DeliveryEngine, inout CheckedOutPage) -> Void) {
        for key in pages.keys { withPage(key, at: now, body) }
    }

    /// Checks each page in memory out and in again, which decides anew whether it holds back the next page of its
    /// message, and whether it can leave the memory.
    mutating func reconsiderEveryPage(at now: Moment) {
        withEveryPage(at: now) { _, _ in }
    }

    /// Applies the effects of the work on a page, and keeps the page or removes it from memory. Puts it into the queues
    /// of the pools for which recipients have become ready, and schedules the write of its outcomes.
    private mutating func checkIn(_ page: consuming CheckedOutPage) {
        let key = page.key
        let now = page.now
        apply(page.effects, of: key)
        guard let context = messages.context(of: key) else { return }
        enqueue(&page)
        scheduleWrite(of: page, isMessageRead: context.isMessageRead)
        let stalled = pools.availability.stalledDestinations(of: page.properties.app)
        let canLeave =
            page.loaded.hasEnded || page.loaded.canBeSuspended
            || page.loaded.canReadOthersFromDisk(stalled: stalled)
        if canLeave && !context.isRereading {
            removeFromMemory(page)
        } else {
            let isBusy = keepInMemory(page, stalled: stalled)
            // If the page is as busy as before, nothing changes for its message: it is not done, because the page is
            // open, and only the number of busy pages decides whether it reads another one.
            guard isBusy != context.isBusy else { return }
            messages[key.message]?.setBusy(key.page, to: isBusy)
        }
        messages.requestPage(of: key.message)
        removeIfDone(key.message, at: now)
    }

    /// Puts a page back among the pages in memory. Returns true if it is busy.
    private mutating func keepInMemory(_ page: consuming CheckedOutPage, stalled: ByDestination<Bool>?) -> Bool {
        let before = page.loaded.countedRecipients
        page.loaded.shrink()
        pages.countRecipients(page.loaded.countedRecipients - before, of: page.properties.queue)
        let isBusy = page.loaded.isBusy(stalled: stalled)
        pages.checkIn(page)
        return isBusy
    }

    private mutating func apply(_ effects: CheckedOutPage.Effects, of key: PageKey) {
        duplicateBound.addUnrecorded(effects.unrecorded)
        if effects.hasKeptOnDisk { messages[key.message]?.recipientKeptOnDisk(in: key.page) }
        if effects.recordedAttempts > 0 { messages[key.message]?.countRecordedAttempts(effects.recordedAttempts) }
        guard let due = effects.timer else { return }
        timers.add(key, at: due)
        if timers.isRemovalDue { timers.removeTimersOfEndedPages(among: messages) }
    }

    /// Takes a page with nothing to do now out of memory: it is closed, or suspended until its next recipient is due. A
    /// partial page is read again for the recipients that are out of memory.
    private mutating func removeFromMemory(_ page: borrowing CheckedOutPage) {
        let key = page.key
        pages.countRecipients(-page.loaded.countedRecipients, of: page.properties.queue)
        messages[key.message]?.setBusy(key.page, to: false)
        if page.loaded.isPartial {
            readOthersFromDisk(of: page)
        } else if page.loaded.hasEnded {
            close(key)
        } else {
            // Its timer is set already.
            messages[key.message]?.suspend(key.page, until: page.loaded.earliestDue ?? page.now.uptime)
            pages.pageSuspended()
            removeIfSuspended(key.message, at: page.now)
        }
    }

    /// Closes a page. All work on it is done and written.
    mutating func close(_ key: PageKey) {
        messages[key.message]?.close(key.page)
        endBlocks(of: key.message)
    }

    /// Reads a page again to get the recipients that were out of memory, now that the others are done.
    private mutating func readOthersFromDisk(of page: borrowing CheckedOutPage) {
        let key = page.key
        let now = page.now.uptime
        for destination in PushDestination.allCases where page.loaded.isQueued[destination] {
            guard let pool = pools.availability.pool(of: page.properties.app, to: destination) else { continue }
            poolQueues.remove(key, lane: page.properties.lane, pool: pool)
        }
        guard messages.properties(of: key.message)?.isUnloading == false else {
            // The recipients stay pending in the outbox.
            messages[key.message]?.recipientKeptOnDisk(in: key.page)
            close(key)
            return
        }
        pages.pageSuspended()
        guard page.loaded.unfinishedCount > 0 else {
            messages[key.message]?.suspend(key.page, until: now)
            _ = messages[key.message]?.requestDuePage(key.page)
            return
        }
        // The page is not read again at once: while all its recipients wait for a time, that would repeat without end.
        let latest = now + limits.partialPageMilliseconds
        let due = min(page.loaded.earliestDue ?? latest, latest)
        messages[key.message]?.suspend(key.page, until: due)
        timers.add(key, at: due)
    }

    // MARK: Queues in front of pools

    /// Puts a page into the queues of the pools for which recipients have become ready, and wakes those pools.
    mutating func enqueue(_ page: inout CheckedOutPage) {
        for destination in PushDestination.allCases where page.loaded.takeNeedsQueue(of: destination) {
            enqueue(&page, for: destination)
        }
    }

    /// Puts a page into the queues of all pools for which it has recipients that are ready, and wakes those pools.
    mutating func enqueueReady(_ page: inout CheckedOutPage) {
        for destination in PushDestination.allCases where page.loaded.hasReady(destination) {
            enqueue(&page, for: destination)
        }
    }

    /// Puts a page into the queue of the pool of a destination, if there is one, and wakes the pool.
    mutating func enqueue(_ page: inout CheckedOutPage, for destination: PushDestination) {
        guard let pool = pools.availability.pool(of: page.properties.app, to: destination) else { return }
        actions.wake(pool)
        poolQueues.enqueue(page.key, loaded: &page.loaded, lane: page.properties.lane, pool: pool, among: pages)
    }
}
