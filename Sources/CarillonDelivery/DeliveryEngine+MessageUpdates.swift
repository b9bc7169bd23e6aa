package import CarillonCore
import DequeModule
import HeapModule

/// What changes while messages are sent: time, devices, credentials, and what people decide.
extension DeliveryEngine {
    // MARK: Time

    /// Puts back in line what is due.
    package mutating func timerFired(at now: Moment) {
        wakePools(at: now)
        readAsleep(at: now)
        if let until = gatheredUntil, until <= now.uptimeMilliseconds { writeGathered() }
        while let wake = wakes.min, wake.at <= now.uptimeMilliseconds {
            _ = wakes.popMin()
            guard let run = runs[wake.key.message] else { continue }
            if var page = pages.removeValue(forKey: wake.key) {
                if let at = page.wakeAt, at <= now.uptimeMilliseconds { page.wakeAt = nil }
                let ways = ways(of: run)
                for position in page.takeDue(at: now.uptimeMilliseconds) where page.standing(position) == .delayed {
                    if let outcome = run.verdict(at: now) {
                        end(position, outcome, &page)
                    } else {
                        line(position, in: &page, wake.key, run, ways)
                    }
                }
                if let next = page.earliestDue { self.wake(wake.key, &page, at: next) }
                lineUp(&page, wake.key, run)
                put(page, wake.key, now)
            } else if run.asleep.contains(wake.key.page), !run.due.contains(wake.key.page) {
                runs[wake.key.message]?.due.append(wake.key.page)
                wantPage(wake.key.message)
            }
        }
    }

    private mutating func wakePools(at now: Moment) {
        for (pool, at) in poolWakes where at <= now.uptimeMilliseconds {
            poolWakes[pool] = nil
            effects.wake.insert(pool)
        }
    }

    /// Puts a page whose message had used up its pace back in line.
    private mutating func lineUp(_ page: inout PageRun, _ key: PageKey, _ run: MessageRun) {
        for environment in Environment.allCases where page.hasReady(environment) { join(key, &page, run, environment) }
    }

    /// Ends what is past its time although no connection asks for it, and notices that none does; call it about once a second.
    package mutating func expirePassed(at now: Moment) {
        noteAbsence(at: now)
        let passed = runs.filter { $0.value.verdict(at: now) != nil }.keys.sorted()
        for id in passed { endWaiting(of: id, now) }
    }

    /// Ends, or lets go of, everybody of a message who waits in memory, and whole pages that are asleep.
    private mutating func endWaiting(of id: MessageID, _ now: Moment) {
        guard let run = runs[id] else { return }
        if run.isNewcomer && run.verdict(at: now) != nil { giveWay(id, run) }
        for number in run.open.sorted() {
            let key = PageKey(message: id, page: number)
            if var page = pages.removeValue(forKey: key) {
                if run.isLeaving && run.verdict(at: now) == nil {
                    for position in page.takeAllWaiting() { letGo(position, of: &page, key) }
                } else if let outcome = run.verdict(at: now) {
                    endAll(&page, outcome)
                }
                put(page, key, now)
            } else if run.asleep.contains(number) {
                if run.isLeaving {
                    asleep -= 1
                    runs[id]?.isIncomplete = true
                    runs[id]?.closed(number)
                } else if !run.due.contains(number) {
                    runs[id]?.due.append(number)
                }
            }
        }
        if run.isLeaving { runs[id]?.due.removeAll() }
        wantPage(id)
        finishIfDone(id, at: now)
    }

    /// A message has only ends to be written: those that have somebody to be sent to come before it.
    private mutating func giveWay(_ id: MessageID, _ run: MessageRun) {
        runs[id]?.isNewcomer = false
        guard run.isWanting else { return }
        backlogs[run.queue]?.wantsNoMore(id)
        backlogs[run.queue]?.wants(id, isNewcomer: false)
    }

    // MARK: People

    /// A message was cancelled: nobody is handed out any more, everybody who is left ends so. One that is paused and not in
    /// memory comes back by `messageAccepted`.
    package mutating func cancel(_ id: MessageID, at now: Moment) {
        hold(id, .cancelled)
        guard runs[id] != nil else { return }
        runs[id]?.cancel()
        // One that was paused and has not left yet comes back for its ends.
        if let run = runs[id], run.isLeaving { runs[id]?.returning = run.entry }
        endWaiting(of: id, now)
    }

    /// A message was paused: it leaves the memory, and comes back by `messageAccepted`.
    package mutating func pause(_ id: MessageID, at now: Moment) {
        hold(id, .passedOver)
        leave(id, returning: nil, now)
    }

    private mutating func leave(_ id: MessageID, returning: OutboxEntry?, _ now: Moment) {
        guard runs[id] != nil else { return }
        runs[id]?.isLeaving = true
        runs[id]?.returning = returning
        endWaiting(of: id, now)
    }

    /// A message has another pace, or none.
    package mutating func setPace(_ pace: UInt32?, of id: MessageID, at now: Moment) {
        hold(id, .paced(pace))
        guard let run = runs[id] else { return }
        runs[id]?.setPace(pace, at: now)
        runs[id]?.returning?.pace = pace
        for number in run.busy.sorted() {
            let key = PageKey(message: id, page: number)
            guard let run = runs[id], var page = pages.removeValue(forKey: key) else { continue }
            keepPart(of: &page, run)
            lineUp(&page, key, run)
            put(page, key, now)
        }
    }

    /// Devices of a message that have ended in the last second, about; nil if it is not in memory.
    package func rate(of id: MessageID, at now: Moment) -> UInt32? {
        runs[id]?.meter.rate(at: now.uptimeMilliseconds)
    }

    // MARK: Devices

    /// A device was unregistered, has another token, or is in other audiences: what was read of it before is not used any more.
    ///
    /// Call it before the change is acknowledged.
    package mutating func deviceChanged(_ device: DeviceID, of app: AppID) {
        guard !pages.isEmpty || reads.values.contains(where: { $0 > 0 }) else { return }
        devices.note(ChangedDevices.Key(app: app, device: device))
    }

    /// Any device may have changed.
    package mutating func everybodyChanged() {
        devices.noteAll()
    }

    // MARK: Credentials

    /// Hands out nothing more; what is in flight still comes back.
    package mutating func stop() {
        isStopped = true
        writeGathered()
    }

    /// A pool's credential was refused: what waits for it leaves the memory, which all pools share, and stays pending in the
    /// outbox until `poolRestarted`. Messages of other pools must not wait behind it.
    package mutating func poolStopped(_ pool: PoolKey, at now: Moment) {
        guard parked.insert(pool).inserted, !unreachable.contains(pool) else { return }
        letGo(of: pool, now)
    }

    /// A pool has had no connection for a while: what waits for it leaves the memory as with `poolStopped`, until `poolReachable` or
    /// the end of its time.
    package mutating func poolUnreachable(_ pool: PoolKey, at now: Moment) {
        guard unreachable.insert(pool).inserted, !parked.contains(pool) else { return }
        letGo(of: pool, now)
    }

    /// A pool has a connection again: what was let go of is read again from the outbox.
    package mutating func poolReachable(_ pool: PoolKey, at now: Moment) {
        guard unreachable.remove(pool) != nil else { return }
        absent.remove(pool)
        if !parked.contains(pool) { readLetGo(now) }
    }

    private mutating func letGo(of pool: PoolKey, _ now: Moment) {
        for lane in Lane.allCases { lines[LineKey(lane: lane, pool: pool)] = nil }
        for key in pages.keys.sorted() {
            guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { continue }
            if routes.pool(for: run.message.content.app, pool.environment) == pool {
                page.leaveLine(of: pool.environment)
                let ways = ways(of: run)
                while let position = page.takeReady(pool.environment) { line(position, in: &page, key, run, ways) }
            }
            put(page, key, now)
        }
    }

    /// A pool has a credential again: what was let go of is read again from the outbox.
    package mutating func poolRestarted(_ pool: PoolKey, at now: Moment) {
        // It may be another pool under the same key, which says itself if it cannot be reached.
        let wasUnreachable = unreachable.remove(pool) != nil
        guard parked.remove(pool) != nil || wasUnreachable else { return }
        readLetGo(now)
    }

    /// Has everything read again from the outbox: who was let go of may be sent to now.
    private mutating func readLetGo(_ now: Moment) {
        for id in runs.filter({ $0.value.isIncomplete }).keys.sorted() {
            guard let run = runs[id], !run.isLeaving else { continue }
            // It leaves and comes back: whom it let go of is found by reading from its beginning.
            leave(id, returning: run.entry, now)
        }
        for queue in backlogs.keys.sorted() { backlogs[queue]?.rewind() }
        // Lines without messages in memory are not known any more.
        knowsQueues = false
        backlogged = Set(backlogs.keys)
    }

    /// Credentials were added or removed: what is in line goes to the pool that serves it now, or ends.
    package mutating func routesChanged(_ routes: Routes, at now: Moment) {
        self.routes = routes
        absent.formIntersection(routes.all)
        effects.wake.formUnion(routes.all)
        lines.removeAll()
        for key in pages.keys.sorted() {
            guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { continue }
            let ways = ways(of: run)
            for environment in Environment.allCases {
                page.leaveLine(of: environment)
                guard page.hasReady(environment) else { continue }
                if ways[environment] == .open {
                    join(key, &page, run, environment)
                } else {
                    while let position = page.takeReady(environment) { line(position, in: &page, key, run, ways) }
                }
            }
            put(page, key, now)
        }
        // Whoever was let go of for a pool that is parked may have another one now.
        guard !parked.isEmpty || !unreachable.isEmpty else { return }
        parked.formIntersection(routes.all)
        unreachable.formIntersection(routes.all)
        readLetGo(now)
    }
}
