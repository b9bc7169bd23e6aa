package import CarillonCore
import DequeModule
import HeapModule

/// Who is handed out next.
extension DeliveryEngine {
    /// Whether there may be work for a pool.
    package func hasWork(for pool: PoolKey) -> Bool {
        !isStopped && unrecorded < limits.unrecorded
            && Lane.allCases.contains { lines[LineKey(lane: $0, pool: pool)]?.isEmpty == false }
    }

    /// Appends at most as many deliveries for a pool as are asked for: the interactive lane first, the pages of a lane in turn.
    package mutating func pull(
        for pool: PoolKey, _ limits: PullLimits, at now: Moment, into deliveries: inout [Delivery]
    ) {
        guard !isStopped else { return }
        askedAt[pool] = now.uptimeMilliseconds
        if !absent.isEmpty { absent.remove(pool) }
        var room = min(limits.all, throttles[pool]?.allowance(at: now.uptimeMilliseconds) ?? limits.all)
        let window = windowRoom(of: pool, at: now.uptimeMilliseconds)
        for lane in Lane.allCases {
            let open = self.limits.unrecorded - unrecorded - inFlight
            var share =
                switch lane {
                case .interactive: min(room, limits.interactive, open)
                case .bulk: min(room, limits.bulk, window, open - self.limits.unrecorded / 8)
                }
            let line = LineKey(lane: lane, pool: pool)
            while share > 0, let key = lines[line]?.popFirst() {
                let taken = pull(key, pool, lane, limit: min(share, self.limits.turn), now, into: &deliveries)
                throttles[pool]?.handedOut(taken)
                if lane == .bulk { windows[pool]?.handedOut(taken, at: now.uptimeMilliseconds) }
                share -= taken
                room -= taken
            }
        }
        if let throttle = throttles[pool], throttle.isSpent { askAgain(pool, at: throttle.windowEnd) }
        if let at = windows[pool]?.wakeAt { askAgain(pool, at: at) }
    }

    /// How many of the bulk lane the pool's window has room for.
    private mutating func windowRoom(of pool: PoolKey, at now: UInt64) -> Int {
        var window = windows.removeValue(forKey: pool) ?? BulkWindow(most: limits.unrecorded, at: now)
        defer { windows[pool] = window }
        return window.room(at: now)
    }

    private mutating func askAgain(_ pool: PoolKey, at uptime: UInt64) {
        poolWakes[pool] = min(poolWakes[pool] ?? uptime, uptime)
    }

    private mutating func pull(
        _ key: PageKey, _ pool: PoolKey, _ lane: Lane, limit: Int, _ now: Moment, into deliveries: inout [Delivery]
    ) -> Int {
        // A page that has left the memory may have left its name in line.
        guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { return 0 }
        page.leaveLine(of: pool.environment)
        defer {
            if page.hasReady(pool.environment) {
                if let wait = run.pacer == nil ? nil : paceWait(key) {
                    wake(key, &page, at: now.uptimeMilliseconds + wait)
                } else {
                    standInLine(key, &page, lane, pool)
                }
            }
            put(page, key, now)
        }
        if let outcome = run.verdict(at: now) {
            endAll(&page, outcome)
            return 0
        }
        var taken = 0
        var isStale = false
        let isPaced = run.pacer != nil
        let isSilent = run.isSilent
        while taken < limit, page.hasReady(pool.environment), !isPaced || takePace(key, now) {
            guard let position = page.takeReady(pool.environment) else { break }
            switch handOut(position, of: &page, key, pool.environment, run, isSilent, now, into: &deliveries) {
            case .handedOut: taken += 1
            case .isStale: isStale = true
            case .passedOver: break
            }
        }
        inFlight += taken
        if isStale { readAgain(key) }
        return taken
    }

    private enum Handing {
        case handedOut
        case isStale
        case passedOver
    }

    private mutating func handOut(
        _ position: UInt16, of page: inout PageRun, _ key: PageKey, _ environment: Environment, _ run: MessageRun,
        _ isSilent: Bool, _ now: Moment, into deliveries: inout [Delivery]
    ) -> Handing {
        guard let (index, recipient) = page.recipient(position), let device = recipient.device else {
            end(position, run.gone, &page)
            return .passedOver
        }
        if devices.hasChanged(run.changeKey(device), since: page.ticket) {
            page.move(position, to: .stale)
            return .isStale
        }
        // The page may have been read again for another recipient while this one was in line or in flight.
        if let outcome = recipient.ending {
            end(position, outcome, &page)
            return .passedOver
        }
        guard page.environment(of: recipient) == environment else {
            line(position, in: &page, key, run, ways(of: run))
            return .passedOver
        }
        if isSilent && !silent.insert(run.changeKey(device)).inserted {
            // Another silent push is on its way to the device: whether this one is within the budget is known after it.
            wakeUp(position, in: &page, key, at: now.uptimeMilliseconds + 1_000)
            return .passedOver
        }
        page.move(position, to: .inFlight)
        deliveries.append(
            Delivery(
                message: run.message, page: page.page, index: index, device: device,
                handedOutAt: now.uptimeMilliseconds))
        return .handedOut
    }

    /// Ends everybody of a page who waits.
    mutating func endAll(_ page: inout PageRun, _ outcome: Outcome) {
        for position in page.takeAllWaiting() { end(position, outcome, &page) }
    }

    /// Takes one of the message's pace, which it has.
    private mutating func takePace(_ key: PageKey, _ now: Moment) -> Bool {
        runs[key.message]?.pacer?.take(now: now.uptimeMilliseconds) == true
    }

    /// Milliseconds until the message's pace allows one more; nil if it does now.
    private func paceWait(_ key: PageKey) -> UInt64? {
        guard let wait = runs[key.message]?.pacer?.millisecondsUntilNext(), wait > 0 else { return nil }
        return UInt64(wait)
    }

    // MARK: Lines

    /// Notices pools that do not ask: who waits for them must not hold back the pages that others wait for. Else a few devices in
    /// a sandbox that cannot be reached would stop a message to everybody.
    mutating func noteAbsence(at now: Moment) {
        var isNew = false
        for pool in routes.all {
            let hasWork = Lane.allCases.contains { lines[LineKey(lane: $0, pool: pool)]?.isEmpty == false }
            guard hasWork, let at = askedAt[pool] else {
                askedAt[pool] = now.uptimeMilliseconds
                continue
            }
            guard now.uptimeMilliseconds - min(at, now.uptimeMilliseconds) >= limits.absence else { continue }
            if absent.insert(pool).inserted { isNew = true }
        }
        guard isNew else { return }
        for key in pages.keys.sorted() { if let page = pages.removeValue(forKey: key) { put(page, key, now) } }
    }

    /// Of a message: environments whose pools are absent; nil if no pool is.
    func absences(of run: MessageRun) -> ByEnvironment<Bool>? {
        if absent.isEmpty { return nil }
        return ByEnvironment { environment in
            routes.pool(for: run.message.content.app, environment).map(absent.contains) ?? false
        }
    }

    /// Puts a page in line for the pools of those in it who have become ready.
    mutating func joinLines(_ page: inout PageRun, _ key: PageKey, _ run: MessageRun) {
        for environment in Environment.allCases where page.takeJoin(environment) { join(key, &page, run, environment) }
    }

    /// Puts a page in line for the pool of an environment, if there is one, and lets the pool know.
    mutating func join(_ key: PageKey, _ page: inout PageRun, _ run: MessageRun, _ environment: Environment) {
        guard let pool = routes.pool(for: run.message.content.app, environment) else { return }
        effects.wake.insert(pool)
        standInLine(key, &page, run.message.lane, pool)
    }

    private mutating func standInLine(_ key: PageKey, _ page: inout PageRun, _ lane: Lane, _ pool: PoolKey) {
        guard page.stand(inLineOf: pool.environment) else { return }
        let line = LineKey(lane: lane, pool: pool)
        lines[line, default: []].append(key)
        let count = lines[line]?.count ?? 0
        // A pool that never pulls must not gather the names of pages that have left.
        guard count > 64, count > 2 * pages.count else { return }
        // The page in hand is not among the others now.
        lines[line]?.removeAll { $0 != key && pages[$0]?.inLine[pool.environment] != true }
    }
}
