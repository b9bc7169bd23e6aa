package import CarillonCore

/// The events by which pages enter memory, are worked on, and leave it.
extension DeliveryEngine {
    // MARK: Reading

    /// Requests pages for the queues in turn, until no queue has a page to read or there is no room.
    mutating func readPagesIfRoom() {
        for lane in Lane.allCases {
            var refused = 0
            while refused < messages.scheduledCount(of: lane), cache.hasRoomForRead(of: lane),
                let queue = messages.beginTurn(of: lane)
            {
                switch readPage(of: queue) {
                case .used: refused = 0
                case .refused: refused += 1
                }
                messages.endTurn(of: queue, in: cache)
            }
        }
    }

    /// The use that a queue has made of its turn.
    private enum Turn {
        /// A page is being read, or the queue has none to read.
        case used
        /// There is no room for a page of the queue.
        case refused
    }

    /// Requests one page of a queue in its turn, if there is room for it.
    private mutating func readPage(of queue: OutboxQueue) -> Turn {
        guard cache.hasRoomForPage(of: queue) else { return .refused }
        // While too many pages are suspended, only suspended pages are read that have a recipient which is due.
        switch messages.nextPage(of: queue, mayBegin: cache.suspended < limits.suspendedPages) {
        case .blocked: return .refused
        case .empty, .none: return .used
        case .page(let key, let wasSuspended):
            if wasSuspended { cache.pagesResumed() }
            read(key, isNext: !wasSuspended, of: queue)
            return .used
        }
    }

    private mutating func read(_ key: PageKey, isNext: Bool, of queue: OutboxQueue) {
        let sequence = cache.beginRead(of: queue)
        actions.readPage(Actions.Read(message: key.message, page: key.page, isNext: isNext, sequence: sequence))
    }

    /// Reads a page again because devices in it have changed.
    mutating func readAgain(_ key: PageKey) {
        guard messages[key.message]?.beginRereading(key.page) == true,
            let queue = messages.terms(of: key.message)?.queue
        else { return }
        read(key, isNext: false, of: queue)
    }

    /// Takes a page that was asked for into memory; nil if there is no such page, or no next page.
    package mutating func pageRead(_ page: RecipientPage?, _ read: Actions.Read, at now: Moment) {
        guard let message = messages.terms(of: read.message) else { return }
        cache.endRead(of: message.queue)
        if read.isNext {
            nextPageRead(page, read, at: now)
        } else {
            pageReadAgain(page, read, at: now)
        }
        messages.requestPage(of: read.message)
        removeIfDone(read.message, at: now)
    }

    /// Takes note that a page that was asked for cannot be read. Its recipients stay pending in the outbox; the other
    /// pages go on.
    package mutating func pageUnreadable(_ read: Actions.Read, at now: Moment) {
        messages[read.message]?.leaveIncomplete(read.isNext ? nil : read.page)
        pageRead(nil, read, at: now)
    }

    private mutating func nextPageRead(_ page: RecipientPage?, _ read: Actions.Read, at now: Moment) {
        messages[read.message]?.endReadOfNextPage()
        defer { endBlocks(of: read.message) }
        guard let page, page.number >= read.page else {
            messages[read.message]?.end(from: read.page)
            return
        }
        guard messages[read.message]?.open(page.number, from: read.page, isLast: page.isLast) == true else { return }
        insert(page, sequence: read.sequence, at: now)
    }

    private mutating func pageReadAgain(_ page: RecipientPage?, _ read: Actions.Read, at now: Moment) {
        let key = PageKey(message: read.message, page: read.page)
        messages[key.message]?.endRereading(key.page)
        if page == nil { messages[key.message]?.leaveIncomplete(key.page) }
        let wasInMemory: Void? = withPage(key, at: now) { engine, known in
            let stale = known.run.stalePositions()
            if let page { known.run.reload(page, sequence: read.sequence) }
            let routes = engine.routes(of: known)
            for position in stale {
                known.run.move(position, to: .untracked)
                if page != nil { known.schedule(position, routes: routes, times: &engine.retryTimes) }
            }
        }
        guard wasInMemory == nil else { return }
        // It was suspended.
        if let page { insert(page, sequence: read.sequence, at: now) } else { close(key) }
    }

    private mutating func insert(_ page: RecipientPage, sequence: UInt64, at now: Moment) {
        let key = PageKey(message: page.message, page: page.number)
        guard let message = messages.terms(of: key.message) else { return }
        var fresh = CheckedOutPage(key, PageRun(page, sequence: sequence), of: message, at: now)
        cache.countRecipients(fresh.run.cost, of: message.queue)
        let routes = routes(of: fresh)
        if message.pace == nil {
            for recipient in page.recipients { fresh.schedule(recipient.position, routes: routes, times: &retryTimes) }
        } else {
            // Recipients that were tried before come after the others, as they do when the whole page is in memory.
            for isFirst in [true, false] {
                for recipient in page.recipients where (recipient.attempts == 0) == isFirst {
                    fresh.schedule(recipient.position, routes: routes, times: &retryTimes)
                }
            }
            keepPacedRecipients(of: &fresh)
        }
        checkIn(fresh)
    }

    /// Keeps only the recipients of a page in memory that a message with a pace can hand out soon.
    mutating func keepPacedRecipients(of page: inout CheckedOutPage) {
        // The pace may have changed since the page was checked out.
        guard let limit = messages.terms(of: page.key.message)?.pacedRecipients(limits) else { return }
        let cost = page.run.cost
        page.run.keepReady(atMost: limit, absent: pools.gates.absences(of: page.message.app))
        cache.countRecipients(page.run.cost - cost, of: page.message.queue)
    }

    // MARK: Working on pages in memory

    /// Checks a page out, gives it to `body` with the engine, and checks it in. Returns nil if the page is not in
    /// memory.
    @discardableResult
    mutating func withPage<R>(
        _ key: PageKey, at now: Moment, _ body: (inout DeliveryEngine, inout CheckedOutPage) -> R
    ) -> R? {
        guard let message = messages.terms(of: key.message),
            var page = cache.checkOut(key, of: message, at: now)
        else { return nil }
        let result = body(&self, &page)
        checkIn(page)
        return result
    }

    /// Calls `body` with every page in memory, in order.
    mutating func withEveryPage(at now: Moment, _ body: (inout DeliveryEngine, inout CheckedOutPage) -> Void) {
        for key in cache.keys { withPage(key, at: now, body) }
    }

    /// Decides anew what each page in memory waits for, although nothing of it has changed.
    mutating func checkInEveryPage(at now: Moment) {
        withEveryPage(at: now) { _, _ in }
    }

    /// Applies the effects of the work on a page, and keeps the page or removes it from memory. Puts it into the queues
    /// of the pools for which recipients have become ready, and schedules the write of its outcomes.
    private mutating func checkIn(_ page: consuming CheckedOutPage) {
        let (key, now) = (page.key, page.now)
        apply(page.effects, of: key)
        guard let context = messages.context(of: key) else { return }
        enqueue(&page)
        scheduleWrite(of: page, isMessageAtEnd: context.hasEnded)
        let absent = pools.gates.absences(of: page.message.app)
        let canLeave = page.run.hasEnded || page.run.canBeSuspended || page.run.canReadRemaining(absent: absent)
        if canLeave && !context.isRereading {
            removeFromMemory(page)
        } else {
            let cost = page.run.cost
            page.run.shrink()
            cache.countRecipients(page.run.cost - cost, of: page.message.queue)
            let isBusy = page.run.isBusy(absent: absent)
            cache.checkIn(page)
            // A page in memory is open: its message is not done, and reads another page only when no open page holds it
            // back.
            guard isBusy != context.isBusy else { return }
            messages[key.message]?.setBusy(key.page, isBusy)
        }
        messages.requestPage(of: key.message)
        removeIfDone(key.message, at: now)
    }

    private mutating func apply(_ effects: CheckedOutPage.Effects, of key: PageKey) {
        outcomes.addUnrecorded(effects.unrecorded)
        if effects.leavesPending { messages[key.message]?.leaveIncomplete(key.page) }
        if effects.recordedAttempts > 0 { messages[key.message]?.countRecordedAttempts(effects.recordedAttempts) }
        guard let due = effects.timer else { return }
        cache.addTimer(key, at: due)
        if cache.hasManyTimers { cache.removeStaleTimers(messages) }
    }

    private mutating func removeFromMemory(_ page: borrowing CheckedOutPage) {
        let key = page.key
        cache.countRecipients(-page.run.cost, of: page.message.queue)
        messages[key.message]?.setBusy(key.page, false)
        if page.run.isPartial {
            readRemaining(of: page)
        } else if page.run.hasEnded {
            close(key)
        } else {
            // Its timer is set already.
            messages[key.message]?.suspend(key.page, until: page.run.earliestDue ?? page.now.uptime)
            cache.pageSuspended()
            removeIfSuspended(key.message, at: page.now)
        }
    }

    /// Closes a page of which all work is done and written.
    mutating func close(_ key: PageKey) {
        messages[key.message]?.close(key.page)
        endBlocks(of: key.message)
    }

    /// Reads a page again to get the recipients that were out of memory, now that the others are done.
    private mutating func readRemaining(of page: borrowing CheckedOutPage) {
        let key = page.key
        let now = page.now.uptime
        for destination in PushDestination.allCases where page.run.isQueued[destination] {
            guard let pool = pools.gates.pool(for: page.message.app, destination) else { continue }
            cache.removeQueued(key, lane: page.message.lane, pool: pool)
        }
        guard messages.terms(of: key.message)?.isLeaving == false else {
            // The recipients stay pending in the outbox.
            messages[key.message]?.leaveIncomplete(key.page)
            close(key)
            return
        }
        cache.pageSuspended()
        guard page.run.unfinished > 0 else {
            messages[key.message]?.suspend(key.page, until: now)
            _ = messages[key.message]?.requestDuePage(key.page)
            return
        }
        // The page is not read again at once: while all its recipients wait for a time, that would repeat without end.
        let latest = now + limits.partialPageMilliseconds
        let due = min(page.run.earliestDue ?? latest, latest)
        messages[key.message]?.suspend(key.page, until: due)
        cache.addTimer(key, at: due)
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
        actions.wake(pool)
        cache.enqueue(page.key, &page.run, lane: page.message.lane, pool: pool)
    }

    // MARK: Writing

    private mutating func scheduleWrite(of page: borrowing CheckedOutPage, isMessageAtEnd: Bool) {
        guard page.run.unwritten > 0 else { return }
        let isLast = isMessageAtEnd && page.run.isDoneForNow
        outcomes.scheduleWrite(
            of: page.key, isUrgent: isLast || page.message.lane == .interactive || isStopped, at: page.now)
    }

    /// Turns outcomes that are to be written now into records.
    mutating func flushRecords() {
        guard outcomes.hasDirtyPages else { return }
        for key in outcomes.takeDirtyPages() {
            guard let floor = messages.floor(of: key.message), let record = cache.takeRecord(of: key, floor: floor)
            else { continue }
            outcomes.beginWrite(record)
            actions.write(record)
        }
    }

    /// Takes note that a record is on disk, or never will be because its message is corrupt.
    package mutating func recordWritten(_ record: OutcomeRecord, at now: Moment) {
        wakePoolsIfFull()
        outcomes.endWrite(record)
        withPage(PageKey(message: record.message, page: record.page), at: now) { engine, page in
            page.run.rowsRecorded(record.count)
            engine.messages[record.message]?.countOutcomes(record.entries.count, at: now.uptime)
            guard page.run.hasSilentDeliveries else { return }
            for entry in record.entries { engine.silentPushRecorded(entry, &page) }
        }
    }

    /// Drops a record that was refused and never will be on disk. The recipients that are left of its page stay as the
    /// outbox has them: if the page were read again, the same recipients would be sent to again and again.
    package mutating func recordLost(_ record: OutcomeRecord, at now: Moment) {
        withPage(PageKey(message: record.message, page: record.page), at: now) { engine, page in
            engine.messages[record.message]?.leaveIncomplete(record.page)
            page.run.forgetRemaining()
            page.leaveAllWaiting()
        }
        recordWritten(record, at: now)
    }

    /// Wakes all pools if they may have been refused work because too much was not on disk. There is about to be room
    /// again.
    mutating func wakePoolsIfFull() {
        guard outcomes.isNearlyFull else { return }
        actions.wake(pools.gates.routes.all)
        outcomes.flushGathered()
    }
}
