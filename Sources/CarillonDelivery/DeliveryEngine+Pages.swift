package import CarillonCore
import DequeModule
import HeapModule

/// Which pages are in memory: each is there while somebody in it can be sent to, is on the way, or is not written yet.
extension DeliveryEngine {
    // MARK: Reading

    /// Puts a message in the line of its like to have a page read, if it may.
    mutating func wantPage(_ id: MessageID) {
        guard let run = runs[id], !run.isWanting, mayWant(run) else { return }
        runs[id]?.isWanting = true
        backlogs[run.queue, default: Backlog(isOnDisk: !knowsQueues)].wants(id, isNewcomer: run.isNewcomer)
        guard backlogs[run.queue]?.isInTurn == false else { return }
        backlogs[run.queue]?.isInTurn = true
        wanting[run.queue.lane, default: []].append(run.queue)
    }

    private func mayWant(_ run: MessageRun) -> Bool {
        run.hasPageToRead && run.busy.count + run.rereading.count < limits.pagesPerMessage
    }

    mutating func readPagesIfRoom() {
        guard !isStopped else { return }
        for lane in Lane.allCases {
            // Each line in turn, until none can go on.
            var refused = 0
            while refused < wanting[lane]?.count ?? 0, hasRoomForRead(of: lane),
                let queue = wanting[lane]?.popFirst()
            {
                if readPage(of: queue) { refused = 0 } else { refused += 1 }
                if backlogs[queue]?.wantsNothing == false {
                    wanting[lane]?.append(queue)
                } else {
                    backlogs[queue]?.isInTurn = false
                    forgetIfIdle(queue)
                }
            }
        }
    }

    /// Has one page of a line read; false if there is no room for it.
    private mutating func readPage(of queue: OutboxQueue) -> Bool {
        guard var backlog = backlogs[queue], hasRoomForPage(of: queue.lane, backlog) else { return false }
        // While too many pages are asleep, only those are read of which somebody is due.
        let mayBegin = asleep < limits.asleep
        guard let id = backlog.takeWanting({ mayBegin || runs[$0]?.due.isEmpty == false }) else {
            return backlog.wantsNothing
        }
        guard var run = runs[id], run.hasPageToRead else {
            runs[id]?.isWanting = false
            backlogs[queue] = backlog
            return true
        }
        let key: PageKey
        let isNext: Bool
        if let page = run.due.popFirst() {
            (key, isNext) = (PageKey(message: id, page: page), false)
            run.asleep.remove(page)
            run.rereading.insert(page)
            asleep -= 1
        } else {
            (key, isNext) = (PageKey(message: id, page: run.nextPage), true)
            run.isReadingNext = true
        }
        run.isWanting = mayWant(run)
        if run.isWanting { backlog.wants(id, isNewcomer: false) }
        runs[id] = run
        backlog.reads += 1
        backlogs[queue] = backlog
        reads[queue.lane, default: 0] += 1
        effects.reads.append(
            Effects.Read(message: id, page: key.page, isNext: isNext, ticket: devices.readingBegins()))
        return true
    }

    private var readsOfAll: Int { reads.values.reduce(0, +) }

    private func hasRoomForRead(of lane: Lane) -> Bool {
        // Pages of fan-outs that are read again take no heed of the bound: the reserve is counted on its own.
        switch lane {
        case .interactive: readsOfAll < limits.reads || reads[lane, default: 0] < max(1, limits.reads / 4)
        case .bulk: readsOfAll < limits.reads - limits.reads / 4
        }
    }

    /// No line may keep the others out, and fan-outs must not keep a person waiting.
    private func hasRoomForPage(of lane: Lane, _ backlog: Backlog) -> Bool {
        let page = limits.recipientsPerPage
        let own = backlog.recipients + (backlog.reads + 1) * page
        if own <= limits.pagesPerLine * page { return true }
        let room = lane == .interactive ? limits.recipients : limits.recipients - limits.recipients / 4
        return recipientsInMemory + (readsOfAll + 1) * page <= room && own <= limits.recipients / 2
    }

    /// Has a page read again because devices in it have changed.
    mutating func readAgain(_ key: PageKey) {
        guard let run = runs[key.message], !run.rereading.contains(key.page) else { return }
        runs[key.message]?.rereading.insert(key.page)
        backlogs[run.queue]?.reads += 1
        reads[run.queue.lane, default: 0] += 1
        effects.reads.append(
            Effects.Read(message: key.message, page: key.page, isNext: false, ticket: devices.readingBegins()))
    }

    // MARK: What was read

    /// A page that was asked for; nil if there is no such page, or no next one.
    package mutating func pageRead(_ page: RecipientPage?, _ read: Effects.Read, at now: Moment) {
        guard let run = runs[read.message] else { return }
        backlogs[run.queue]?.reads -= 1
        reads[run.queue.lane, default: 0] -= 1
        if read.isNext {
            nextPageRead(page, read, now)
        } else {
            pageReadAgain(page, read, now)
        }
        wantPage(read.message)
        finishIfDone(read.message, at: now)
    }

    /// A page that was asked for cannot be read: who waits for it stays pending in the outbox, the others go on.
    package mutating func pageUnreadable(_ read: Effects.Read, at now: Moment) {
        runs[read.message]?.isIncomplete = true
        pageRead(nil, read, at: now)
    }

    private mutating func nextPageRead(_ page: RecipientPage?, _ read: Effects.Read, _ now: Moment) {
        runs[read.message]?.isReadingNext = false
        guard let page, page.number >= read.page else {
            runs[read.message]?.end()
            return
        }
        runs[read.message]?.opened(page.number, isLast: page.isLast)
        take(page, ticket: read.ticket, now)
    }

    private mutating func pageReadAgain(_ page: RecipientPage?, _ read: Effects.Read, _ now: Moment) {
        let key = PageKey(message: read.message, page: read.page)
        runs[read.message]?.rereading.remove(read.page)
        if page == nil { runs[read.message]?.isIncomplete = true }
        guard var known = pages.removeValue(forKey: key) else {
            // It was asleep.
            if let page { take(page, ticket: read.ticket, now) } else { runs[read.message]?.closed(read.page) }
            return
        }
        let stale = known.staleRecipients()
        if let page { known.reload(page, ticket: read.ticket) }
        if let run = runs[key.message] {
            let ways = ways(of: run)
            for position in stale {
                known.move(position, to: .ended)
                if page != nil { place(position, in: &known, key, run, ways, now) }
            }
        }
        put(known, key, now)
    }

    private mutating func take(_ page: RecipientPage, ticket: UInt64, _ now: Moment) {
        let key = PageKey(message: page.message, page: page.number)
        guard let run = runs[key.message] else { return }
        var fresh = PageRun(page, ticket: ticket)
        recipientsInMemory += fresh.charge
        backlogs[run.queue]?.recipients += fresh.charge
        let ways = ways(of: run)
        if run.pacer == nil {
            for recipient in page.recipients { place(recipient.position, in: &fresh, key, run, ways, now) }
        } else {
            // Those that were tried before come after the others, as they would if all of the page were in memory.
            for isFirst in [true, false] {
                for recipient in page.recipients where (recipient.attempts == 0) == isFirst {
                    place(recipient.position, in: &fresh, key, run, ways, now)
                }
            }
            keepPart(of: &fresh, run)
        }
        put(fresh, key, now)
    }

    /// A message with a pace has in memory only whom it can hand out soon.
    mutating func keepPart(of page: inout PageRun, _ run: MessageRun) {
        guard let part = run.part(limits) else { return }
        let charge = page.charge
        page.keepInLine(part, absent: absences(of: run))
        recipientsInMemory -= charge - page.charge
        backlogs[run.queue]?.recipients -= charge - page.charge
    }

    /// Puts a recipient in line, or gives it the outcome that it has without an attempt.
    private mutating func place(
        _ position: UInt16, in page: inout PageRun, _ key: PageKey, _ run: MessageRun, _ ways: Ways, _ now: Moment
    ) {
        guard let (_, recipient) = page.recipient(position) else { return end(position, run.gone, &page) }
        if let outcome = recipient.ending ?? run.verdict(at: now) { return end(position, outcome, &page) }
        guard !run.isLeaving else { return letGo(position, of: &page, key) }
        // A retry is due by the clock that nobody sets, the room in a budget of silent pushes by the wall clock.
        let wait = recipient.dueAt.milliseconds(since: recipient.attempts > 0 ? steadyTime(at: now) : now.wall)
        // No delay is longer than the horizon: the clock was set back before a restart, and must not hold the delivery.
        guard wait > 0, wait <= policy.horizon else { return line(position, in: &page, key, run, ways) }
        wakeUp(position, in: &page, key, at: now.uptimeMilliseconds + wait)
    }

    /// The wall clock as it would be if nobody had set it since the engine began: what is due is stored in its terms, so that
    /// neither a step back nor one ahead moves a retry.
    mutating func steadyTime(at now: Moment) -> Timestamp {
        let began = clock ?? now
        clock = began
        return began.wall.advanced(
            byMilliseconds: now.uptimeMilliseconds - min(began.uptimeMilliseconds, now.uptimeMilliseconds))
    }

    /// Which way the recipients of a message go, looked up once for many of them.
    typealias Ways = ByEnvironment<Way>

    /// Which way recipients go.
    enum Way {
        /// To a pool.
        case open
        /// Nowhere now: the pool's credential was refused.
        case parked
        /// Nowhere now: the pool has no connection.
        case unreachable
        /// Nowhere: no pool serves them.
        case missing
    }

    /// Which way the recipients of a message go.
    func ways(of run: MessageRun) -> Ways {
        Ways { environment in
            guard let pool = routes.pool(for: run.message.content.app, environment) else { return .missing }
            if parked.contains(pool) { return .parked }
            return unreachable.contains(pool) ? .unreachable : .open
        }
    }

    /// Makes a recipient ready for the pool that serves it; `put` has the page join the line.
    mutating func line(
        _ position: UInt16, in page: inout PageRun, _ key: PageKey, _ run: MessageRun, _ ways: Ways,
        atFront: Bool = false
    ) {
        guard let (_, recipient) = page.recipient(position) else { return end(position, run.gone, &page) }
        guard !run.isLeaving else { return letGo(position, of: &page, key) }
        let environment = page.environment(of: recipient)
        let way = ways[environment]
        if way == .open { return page.makeReady(position, environment, atFront: atFront) }
        // The other environment cannot be asked any more: in its own the token is bad.
        if environment != recipient.environment { return end(position, .badToken, &page) }
        if way == .missing { end(position, .noCredential, &page) } else { letGo(position, of: &page, key) }
    }

    /// Leaves a recipient pending on disk, without a place in memory.
    mutating func letGo(_ position: UInt16, of page: inout PageRun, _ key: PageKey) {
        page.move(position, to: .ended)
        runs[key.message]?.isIncomplete = true
    }

    /// Gives a recipient its outcome.
    mutating func end(
        _ position: UInt16, _ outcome: Outcome, _ page: inout PageRun,
        death: OutcomeRecord.TokenDeath? = nil, movedTo: Environment? = nil, registeredAt: Timestamp = .zero
    ) {
        page.end(
            OutcomeRecord.Entry(
                position: position, outcome: outcome, death: death, movedTo: movedTo, registeredAt: registeredAt))
        if outcome.isPush { unrecorded += 1 }
    }

    /// Makes a recipient wait until an uptime.
    mutating func wakeUp(_ position: UInt16, in page: inout PageRun, _ key: PageKey, at due: UInt64) {
        page.delay(position, until: due)
        wake(key, &page, at: due)
    }

    /// Has a page looked at again at an uptime, or before.
    mutating func wake(_ key: PageKey, _ page: inout PageRun, at due: UInt64) {
        if let at = page.wakeAt, at <= due { return }
        page.wakeAt = due
        wakes.insert(Wake(at: due, key: key))
        guard wakes.count > wakesKept else { return }
        // Pages that have ended or left before their time must not gather here.
        wakes = Heap(wakes.unordered.filter { runs[$0.key.message]?.open.contains($0.key.page) == true })
        wakesKept = max(Self.leastWakes, 2 * wakes.count)
    }

    // MARK: Leaving the memory

    /// Puts a page back after a change, or lets go of it.
    mutating func put(_ page: consuming PageRun, _ key: PageKey, _ now: Moment) {
        guard let run = runs[key.message] else { return }
        joinLines(&page, key, run)
        if page.unwritten > 0 { wantWritten(page, key, run, now) }
        let isHeld = run.rereading.contains(key.page)
        let absent = absences(of: run)
        if !isHeld && (page.hasEnded || page.canSleep || page.canReadRest(absent: absent)) {
            recipientsInMemory -= page.charge
            backlogs[run.queue]?.recipients -= page.charge
            runs[key.message]?.busy.remove(key.page)
            if page.hasRest {
                readRest(of: page, key, run, now)
            } else if page.hasEnded {
                runs[key.message]?.closed(key.page)
            } else {
                // Its wake is set already.
                runs[key.message]?.fallsAsleep(key.page, until: page.earliestDue ?? now.uptimeMilliseconds)
                asleep += 1
                leaveIfAsleep(key.message, now)
            }
        } else {
            let charge = page.charge
            page.shrink()
            if page.charge != charge {
                recipientsInMemory -= charge - page.charge
                backlogs[run.queue]?.recipients -= charge - page.charge
            }
            let isBusy = page.isBusy(absent: absent)
            if isBusy != run.busy.contains(key.page) {
                if isBusy {
                    runs[key.message]?.busy.insert(key.page)
                } else {
                    runs[key.message]?.busy.remove(key.page)
                }
            }
            pages[key] = page
        }
        wantPage(key.message)
        finishIfDone(key.message, at: now)
    }

    /// Has a page read again of which some had no place in memory, now that the others are gone.
    private mutating func readRest(of page: PageRun, _ key: PageKey, _ run: MessageRun, _ now: Moment) {
        for environment in Environment.allCases where page.inLine[environment] {
            guard let pool = routes.pool(for: run.message.content.app, environment) else { continue }
            lines[LineKey(lane: run.message.lane, pool: pool)]?.removeAll { $0 == key }
        }
        guard !run.isLeaving else {
            // The rest stays pending in the outbox, as who was let go of.
            runs[key.message]?.isIncomplete = true
            runs[key.message]?.closed(key.page)
            return
        }
        asleep += 1
        guard page.unfinished > 0 else {
            runs[key.message]?.fallsAsleep(key.page, until: now.uptimeMilliseconds)
            runs[key.message]?.due.append(key.page)
            return
        }
        // Not at once: while all wait for a time, the page would be read again and again.
        let pause = now.uptimeMilliseconds + limits.partPause
        let due = min(page.earliestDue ?? pause, pause)
        runs[key.message]?.fallsAsleep(key.page, until: due)
        wakes.insert(Wake(at: due, key: key))
    }

    /// What has changed matters only to what was read before.
    mutating func devicesMayBeForgotten() {
        if pages.isEmpty && readsOfAll == 0 { devices.forget() }
    }

    // MARK: Writing

    /// Has the outcomes of a page written, now or soon.
    ///
    /// A commit costs what hundreds of outcomes cost, and who sends to one person waits for the one that goes on. So those of a
    /// fan-out are gathered for a moment, unless nothing more is to be expected, or much is gathered already: what is not on disk
    /// holds up others before long.
    private mutating func wantWritten(_ page: PageRun, _ key: PageKey, _ run: MessageRun, _ now: Moment) {
        let isLast = run.hasEnded && page.inFlight == 0
        if isLast || run.message.lane == .interactive || isStopped || isNearlyFull {
            dirty.insert(key)
        } else {
            gathering.insert(key)
            if unrecorded - beingWritten >= limits.unrecorded / 4 {
                writeGathered()
            } else if gatheredUntil == nil {
                gatheredUntil = now.uptimeMilliseconds + limits.gathering
            }
        }
    }

    /// Has everything written that waits for more.
    mutating func writeGathered() {
        gatheredUntil = nil
        guard !gathering.isEmpty else { return }
        dirty.formUnion(gathering)
        gathering.removeAll(keepingCapacity: true)
    }

    mutating func flushRecords() {
        guard !dirty.isEmpty else { return }
        for key in dirty.sorted() {
            guard let floor = runs[key.message]?.floor, let record = pages[key]?.takeRecord(key, floor: floor)
            else { continue }
            beingWritten += record.pushes
            effects.records.append(record)
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// A record is on disk, or it never will be because its message is spoilt.
    package mutating func recorded(_ record: OutcomeRecord, at now: Moment) {
        wakeIfFull()
        let pushes = record.pushes
        unrecorded -= pushes
        beingWritten -= pushes
        let key = PageKey(message: record.message, page: record.page)
        guard var page = pages.removeValue(forKey: key) else { return }
        page.recorded(record.count)
        runs[record.message]?.meter.count(record.entries.count, at: now.uptimeMilliseconds)
        if !page.silenced.isEmpty, let run = runs[record.message] {
            for entry in record.entries { silenceRecorded(entry, &page, run) }
        }
        put(page, key, now)
    }

    /// A record was refused, and never will be on disk: who is left of its page stays as the outbox has it. If the page was read
    /// again, the same ones would be sent to again, and again.
    package mutating func recordLost(_ record: OutcomeRecord, at now: Moment) {
        let key = PageKey(message: record.message, page: record.page)
        if var page = pages.removeValue(forKey: key) {
            runs[record.message]?.isIncomplete = true
            page.forgetRest()
            for position in page.takeAllWaiting() { letGo(position, of: &page, key) }
            put(page, key, now)
        }
        recorded(record, at: now)
    }

    /// Pools that were refused work because the bound was reached ask again: it is about to fall.
    mutating func wakeIfFull() {
        guard isNearlyFull else { return }
        effects.wake.formUnion(routes.all)
        writeGathered()
    }

    /// Whether the bulk lane gets nothing because of what is not on disk.
    private var isNearlyFull: Bool { unrecorded + inFlight >= limits.unrecorded - limits.unrecorded / 8 }
}
