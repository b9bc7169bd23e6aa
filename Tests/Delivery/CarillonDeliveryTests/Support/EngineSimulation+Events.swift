import CarillonCore

@testable import CarillonDelivery

/// The random events of the engine.
extension EngineSimulation {
    mutating func chance(oneIn count: UInt64) -> Bool { random.next(upperBound: count) == 0 }

    mutating func randomStep() throws {
        switch random.next(upperBound: 100 as UInt64) {
        case ..<9: accept()
        case ..<42: try doTask()
        case ..<60: try pull()
        case ..<73: try complete(upTo: Int(random.next(upperBound: 5 as UInt64)) + 1)
        case ..<75: try loseConnections()
        case ..<82: changeDevice()
        case ..<89: advance(random.next(upperBound: chance(oneIn: 5) ? 100_000 : 1_000 as UInt64))
        case ..<95: updateMessage()
        case ..<97: changePools()
        // Every fifth run is about refused credentials.
        case 97... where seed % 5 == 0: changePools()
        case 97: changeRoutes()
        case 98: isProviderOut.toggle()
        default: if chance(oneIn: 2) { try crash() }
        }
    }

    mutating func accept() {
        guard registry.messages.count < 9 else { return }
        var recipients: [UInt64]?
        if !chance(oneIn: 3) {
            let count = Int(random.next(upperBound: 20 as UInt64)) + 1
            recipients = Array(1...42 as ClosedRange<UInt64>).shuffled(using: &random).prefix(count).map { $0 }
        }
        let notAfter =
            chance(oneIn: 4) ? now.wall.later(byMilliseconds: random.next(upperBound: 60_000 as UInt64)) : nil
        let content = MessageContent(
            app: Self.apps[chance(oneIn: 3) ? 1 : 0], pushType: chance(oneIn: 5) ? .background : .alert,
            expiration: chance(oneIn: 6) ? .once : .unspecified, payload: [])
        let pace = chance(oneIn: 5) ? UInt32(random.next(upperBound: 30 as UInt64)) + 1 : nil
        if let outbound = registry.accept(
            content, to: recipients, notAfter: notAfter, chance(oneIn: 2) ? .bulk : .interactive, pace: pace)
        {
            notices.append(.accepted(outbound))
        }
    }

    mutating func changeDevice() {
        guard let device = registry.devices.keys.sorted().randomElement(using: &random) else { return }
        switch random.next(upperBound: 5 as UInt64) {
        case 0: registry.unregister(device)
        case 1: registry.replaceToken(of: device)
        default: registry.toggleMembership(of: device)
        }
        // The registry stores it; the engine learns of it later, and only then is the change answered.
        tasks.append(.deviceChanged(device: device))
    }

    mutating func updateMessage() {
        let ids = registry.messages.filter { !$0.value.isFinished && !$0.value.outbound.isCancelled }.keys.sorted()
        guard let id = ids.randomElement(using: &random), let stored = registry.messages[id] else { return }
        switch random.next(upperBound: 5 as UInt64) {
        case 0:
            registry.updateMessage(id) {
                $0.outbound.isCancelled = true
                $0.isPaused = false
            }
            notices.append(.cancel(id))
            // A paused message has left the memory, or soon will. It is accepted again, so that its recipients end.
            if stored.isPaused, let outbound = registry.messages[id]?.outbound { notices.append(.accepted(outbound)) }
        case 1:
            let pace = chance(oneIn: 3) ? nil : UInt32(random.next(upperBound: 30 as UInt64)) + 1
            registry.updateMessage(id) { $0.outbound.pace = pace }
            if !stored.isPaused { notices.append(.pace(pace, id)) }
        default: stored.isPaused ? resume(id) : pause(id)
        }
    }

    mutating func pause(_ id: MessageID) {
        registry.updateMessage(id) { $0.isPaused = true }
        notices.append(.pause(id))
    }

    mutating func resume(_ id: MessageID) {
        registry.updateMessage(id) { ($0.isPaused, $0.known.isPaused) = (false, false) }
        if let outbound = registry.messages[id]?.outbound { notices.append(.accepted(outbound)) }
    }

    mutating func changePools() {
        guard let pool = Self.pools.randomElement(using: &random) else { return }
        if chance(oneIn: seed % 5 == 0 ? 10 : 2) {
            unreachable.formSymmetricDifference([pool])
            // A pool reports an outage only after a while: here in runs with an even seed, and without a random number,
            // so that the runs of remembered seeds stay as they were.
            if unreachable.contains(pool) {
                if seed % 2 == 0 { engine.poolBecameUnreachable(pool, at: now) }
            } else {
                poolBecameReachable(pool)
            }
        } else if chance(oneIn: 4) {
            credentials.connectionEnded(of: pool)
            engine.credentialRefused(of: pool, reason: "BadCertificate", at: now)
        } else if chance(oneIn: 4) {
            poolRestarted(pool)
        } else {
            for app in Self.apps where chance(oneIn: 2) { credentials.toggle(.init(pool: pool, app: app)) }
        }
    }

    mutating func poolBecameReachable(_ pool: PoolKey) {
        awake.insert(pool)
        engine.poolBecameReachable(pool, at: now)
        paced = [:]
    }

    mutating func poolRestarted(_ pool: PoolKey) {
        credentials.forget(pool)
        engine.poolRestarted(pool, at: now)
        // Messages leave the memory and come back, and begin a new pace.
        paced = [:]
    }

    mutating func changeRoutes() {
        let whole = seed % 2 == 0 ? Self.routes : Self.sharedRoutes
        routes = chance(oneIn: 2) ? whole : Routes([Self.apps[0]: [.apnsProduction: PoolKey.production]])
        engine.routesChanged(routes, at: now)
        credentials.forget()
        paced = [:]
    }

    mutating func advance(_ milliseconds: UInt64) {
        now.wall = now.wall.later(byMilliseconds: milliseconds)
        now.uptime += milliseconds
        engine.timerFired(at: now)
        engine.expirePassed(at: now)
    }

    /// Restarts the engine without everything that is not on disk.
    mutating func crash() throws {
        let answered = records.reduce(0) { $0 + $1.unrecordedCount }
        try require(
            deliveriesInFlight.count + answered <= limits.unrecordedDeliveries,
            "a crash may repeat \(deliveriesInFlight.count + answered)")
        for key in delivered.keys where registry.recipient(key)?.outcome ?? .pending == .pending {
            forgotten[key] = delivered[key]
        }
        for key in attempts.keys { attempts[key] = registry.recipient(key)?.attempts ?? 0 }
        for key in dueAt.keys { dueAt[key] = registry.recipient(key)?.dueAt }
        tokensAskedInOtherAPNs = []
        for device in silent.keys { silent[device] = registry.devices[device]?.silent }
        tasks = []
        notices = []
        records = []
        deliveriesInFlight = [:]
        awake = []
        paced = [:]
        credentials.forget()
        registry.markAllKnown()
        engine = DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: random.next())
    }
}
