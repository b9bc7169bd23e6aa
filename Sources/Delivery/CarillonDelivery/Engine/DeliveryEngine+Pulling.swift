package import CarillonCore

/// Chooses the deliveries that are handed out next.
extension DeliveryEngine {
    /// Returns true if there may be work for a pool.
    package func hasWork(for pool: PoolKey) -> Bool {
        !isStopped && !duplicateBound.isUsedUpByUnrecorded && poolQueues.hasPages(for: pool)
    }

    /// Appends deliveries for a pool, at most as many as it asks for: the interactive lane first, the pages of a lane
    /// in turn.
    package mutating func pull(
        for pool: PoolKey, _ asked: PullLimits, at now: Moment, into deliveries: inout [Delivery]
    ) {
        guard !isStopped else { return }
        let uptime = now.uptime
        let allowed = pools.poolAskedForWork(pool, atMost: asked, at: uptime)
        var room = allowed.all
        for lane in Lane.allCases {
            let allowedOfLane = lane == .interactive ? allowed.interactive : allowed.bulk
            var laneRoom = min(room, allowedOfLane, duplicateBound.room(for: lane))
            while laneRoom > 0, let key = poolQueues.dequeue(lane: lane, pool: pool) {
                let taken = handOutPage(
                    key, for: pool, limit: min(laneRoom, limits.deliveriesPerTurn), at: now, into: &deliveries)
                pools.deliveriesHandedOut(taken, lane: lane, to: pool, at: uptime)
                laneRoom -= taken
                room -= taken
            }
        }
        pools.poolHasPulled(pool)
    }

    /// Appends deliveries of one page; returns their number.
    private mutating func handOutPage(
        _ key: PageKey, for pool: PoolKey, limit: Int, at now: Moment, into deliveries: inout [Delivery]
    ) -> Int {
        var taken = 0
        // The page may have been removed from memory while its key was in the queue.
        withPage(key, at: now) { engine, page in
            taken = engine.handOut(from: &page, for: pool, limit: limit, into: &deliveries)
        }
        return taken
    }

    /// Appends deliveries of a page that has left the queue of a pool, and puts the page back if it has more; returns
    /// their number.
    private mutating func handOut(
        from page: inout CheckedOutPage, for pool: PoolKey, limit: Int, into deliveries: inout [Delivery]
    ) -> Int {
        let destination = pool.destination
        let app = page.properties.app
        page.loaded.leaveQueue(of: destination)
        if let outcome = page.properties.finalOutcome(at: page.now) {
            page.endAllWaiting(outcome)
            return 0
        }
        let admission = pools.availability.admission(of: app, to: pool)
        let allowed = pools.availability.allowance(of: pool, with: admission, limit: limit)
        let taken = handOutRecipients(of: &page, for: destination, limit: allowed, into: &deliveries)
        if admission == .trial, taken > 0, let delivery = deliveries.last {
            pools.availability.beginTrial(CredentialGate.Trial(delivery.attempt), of: pool)
        }
        // The recipients of the page wait for the end of the trial, which puts the page back into the queue.
        if admission != .admitted, pools.availability.allowance(of: pool, with: admission, limit: limit) == 0 {
            return taken
        }
        guard page.loaded.hasReady(destination) else { return taken }
        if page.properties.pace != nil, let wait = messages.paceWaitMilliseconds(of: page.key.message) {
            page.setTimer(at: page.now.uptime + wait)
        } else {
            poolQueues.enqueue(page.key, loaded: &page.loaded, lane: page.properties.lane, pool: pool, among: pages)
        }
        return taken
    }

    /// Hands out recipients of a page that are ready for a destination, at most `limit`; returns their number.
    private mutating func handOutRecipients(
        of page: inout CheckedOutPage, for destination: PushDestination, limit: Int, into deliveries: inout [Delivery]
    ) -> Int {
        // Without a pace, no delivery needs a look at its message.
        let isPaced = page.properties.pace != nil
        var taken = 0
        var hasChanged = false
        while taken < limit, page.loaded.hasReady(destination),
            !isPaced || messages.takePace(of: page.key.message, at: page.now.uptime)
        {
            guard let position = page.loaded.takeReady(destination) else { break }
            switch handOutRecipient(at: position, of: &page, for: destination, into: &deliveries) {
            case .handedOut: taken += 1
            case .deviceChanged: hasChanged = true
            case .notHandedOut: break
            }
        }
        duplicateBound.deliveriesHandedOut(taken)
        if hasChanged { readAgain(page.key) }
        return taken
    }

    private enum HandOutResult {
        /// The delivery was appended.
        case handedOut
        /// The device has changed: the page must be read again.
        case deviceChanged
        /// The recipient has ended, waits for a time, or is ready for another pool.
        case notHandedOut
    }

    /// Hands out a recipient that is ready. If it must not be sent to now, it ends, waits or changes its pool instead.
    private mutating func handOutRecipient(
        at position: UInt16, of page: inout CheckedOutPage, for destination: PushDestination,
        into deliveries: inout [Delivery]
    ) -> HandOutResult {
        guard let (index, recipient) = page.loaded.recipient(at: position),
            let device = recipient.device ?? page.properties.channelDevice
        else {
            page.end(position, as: page.properties.outcomeOfMissing)
            return .notHandedOut
        }
        if pages.hasChanged(page.appDevice(device), since: page.loaded.sequence) {
            page.loaded.move(position, to: .deviceChanged)
            return .deviceChanged
        }
        // The page may have been read again for another recipient while this one was ready or in flight.
        if let outcome = recipient.finalOutcome {
            page.end(position, as: outcome)
            return .notHandedOut
        }
        guard page.loaded.destination(of: recipient) == destination else {
            page.makeReady(position, routes: routes(of: page))
            return .notHandedOut
        }
        if page.isSilent && !silentPushes.begin(to: page.appDevice(device)) {
            // Another silent push to the device has not ended. Only its end shows whether this push is within the
            // silent-push budget.
            page.delay(position, until: page.now.uptime + 1_000)
            return .notHandedOut
        }
        page.loaded.move(position, to: .inFlight)
        deliveries.append(
            Delivery(
                message: page.properties.outbound, page: page.loaded.content, index: index, device: device,
                handedOutAt: page.now.uptime))
        return .handedOut
    }
}
