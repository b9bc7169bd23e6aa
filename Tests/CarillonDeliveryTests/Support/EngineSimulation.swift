import CarillonCore

@testable import CarillonDelivery

// Long: the state of a simulation and its invariants are one type; each event is a short function.

/// An engine under random events: connections that break, reads that come late, devices that change, messages that are
/// updated, credentials that are refused, crashes.
///
/// Everything follows from the seed. What must never happen is thrown as a `Violation`.
struct EngineSimulation {
    /// A guarantee that was broken.
    struct Violation: Error, CustomStringConvertible {
        var seed: UInt64
        var step: Int
        var what: String
        var description: String { "seed \(seed), step \(step): \(what)" }
    }

    typealias RecipientKey = SimulatedOutbox.RecipientKey

    /// An effect that the engine asked for: to be done, or done and to be given to the engine. In any order.
    private enum Task {
        case readQueues
        case queuesRead(Set<OutboxQueue>)
        case readMessages(DeliveryEngine.Actions.MessagesRead)
        case messagesRead([OutboxEntry], of: OutboxQueue, isEnd: Bool)
        case readPage(DeliveryEngine.Actions.Read)
        case pageRead(RecipientPage?, DeliveryEngine.Actions.Read)
        case recorded(OutcomeRecord)
        case announceChange(device: UInt64)
    }

    /// The results that are on disk and must be given to the engine, in order.
    private enum Notice {
        case accepted(OutboxEntry)
        case cancel(MessageID)
        case pause(MessageID)
        case pace(UInt32?, MessageID)

        var message: MessageID {
            switch self {
            case .accepted(let entry): entry.id
            case .cancel(let id), .pause(let id), .pace(_, let id): id
            }
        }
    }

    private struct Flight {
        var delivery: Delivery
        var pool: PoolKey
        var isSilent: Bool
        var token: UInt8
    }

    /// A token that was called bad in its environment, for one recipient.
    private struct BadToken: Hashable {
        var key: RecipientKey
        var token: UInt8
        var environment: Environment
    }

    private static let apps = [EngineHarness.app, EngineHarness.otherApp]
    private static let pools: [PoolKey] = ["key", "chat"].flatMap { credential in
        Environment.allCases.map { PoolKey(service: PushService($0), credential: credential) }
    }
    private static let routes = Routes([
        apps[0]: [.apnsProduction: EngineHarness.production, .apnsSandbox: EngineHarness.sandbox],
        apps[1]: [
            .apnsProduction: PoolKey(service: .apnsProduction, credential: "chat"),
            .apnsSandbox: PoolKey(service: .apnsSandbox, credential: "chat"),
        ],
    ])
    /// Both apps share a credential.
    private static let sharedRoutes = Routes([
        apps[0]: [.apnsProduction: EngineHarness.production, .apnsSandbox: EngineHarness.sandbox],
        apps[1]: [.apnsProduction: EngineHarness.production, .apnsSandbox: EngineHarness.sandbox],
    ])
    /// Lanes times apps.
    private static let queueCount = 4

    private let seed: UInt64
    private var random: SeededGenerator
    private var step = 0
    private var now = Moment(wall: SimulatedOutbox.sendableSince, uptime: 1_000)
    private var disk = SimulatedOutbox()
    private var engine: DeliveryEngine
    private var limits = DeliveryEngine.Limits()
    private var policy = RetryPolicy()
    private var routes = Self.routes
    private var tasks: [Task] = []
    private var notices: [Notice] = []
    private var records: [OutcomeRecord] = []
    private var flights: [RecipientKey: Flight] = [:]
    /// Pools that have a reason to ask for work: they were woken, or gave deliveries back.
    private var awake: Set<PoolKey> = []
    private var unreachable: Set<PoolKey> = []
    private var credentials = SimulatedCredentials()
    private var isProviderOut = false

    // What was seen, to compare with the guarantees.
    /// Attempts without a final answer; those that a crash lost do not count.
    private var attempts: [RecipientKey: UInt8] = [:]
    private var dueAt: [RecipientKey: Timestamp] = [:]
    private var delivered: [RecipientKey: Int] = [:]
    /// Deliveries that APNs has accepted and a crash lost.
    private var forgotten: [RecipientKey: Int] = [:]
    private var silent: [UInt64: Int] = [:]
    private var badTokens: Set<BadToken> = []
    private var askedInOther: Set<BadToken> = []
    /// When deliveries of a message with a pace were handed out, since the pace was set.
    private var paced: [MessageID: [Uptime]] = [:]

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        limits.messages = 2 + Int(random.next(upperBound: 8 as UInt64))
        limits.messagesPerQueue = 1 + Int(random.next(upperBound: 2 as UInt64))
        limits.recipientsPerPage = Int(SimulatedOutbox.recipientsPerPage)
        limits.recipients = (2 + Int(random.next(upperBound: 8 as UInt64))) * limits.recipientsPerPage
        limits.pagesPerQueue = 1 + Int(random.next(upperBound: 2 as UInt64))
        limits.unrecorded = 1 + Int(random.next(upperBound: 20 as UInt64))
        limits.concurrentReads = 1 + Int(random.next(upperBound: 5 as UInt64))
        limits.pagesPerMessage = 1 + Int(random.next(upperBound: 2 as UInt64))
        limits.suspendedPages = 1 + Int(random.next(upperBound: 6 as UInt64))
        limits.deliveriesPerTurn = 1 + Int(random.next(upperBound: 4 as UInt64))
        limits.gatheringMilliseconds = random.next(upperBound: 200 as UInt64)
        limits.changedDevices = 1 + Int(random.next(upperBound: 5 as UInt64))
        // Not random: the runs of seeds that have found something stay as they were.
        limits.minimumRereadMilliseconds = seed % 3 * 10_000
        limits.minimumPacedRecipients = 1 + Int(seed % 4)
        limits.pacedSeconds = Int(seed % 5 / 4)
        let attempts = 2 + UInt8(random.next(upperBound: 4 as UInt64))
        policy.unknown.attempts = attempts
        policy.tokenThrottled.attempts = attempts
        policy.serverBusy.attempts = attempts
        engine = DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: seed)
        for device in 1...40 as ClosedRange<UInt64> {
            let environment: Environment = one(in: 3) ? .sandbox : .production
            disk.register(
                device,
                .init(
                    app: Self.apps[one(in: 3) ? 1 : 0], environment: environment,
                    trueEnvironment: one(in: 10) ? (environment == .production ? .sandbox : .production) : environment))
        }
    }

    /// Runs `steps` random steps and then lets everything end.
    mutating func run(steps: Int) throws {
        try collect()
        for _ in 0..<steps {
            step += 1
            try randomStep()
            try collect()
        }
        try runToEnd()
    }

    // MARK: Random events

    private mutating func one(in count: UInt64) -> Bool { random.next(upperBound: count) == 0 }

    private mutating func randomStep() throws {
        switch random.next(upperBound: 100 as UInt64) {
        case ..<9: accept()
        case ..<42: try work()
        case ..<60: try pull()
        case ..<73: try complete(upTo: Int(random.next(upperBound: 5 as UInt64)) + 1)
        case ..<75: try loseConnections()
        case ..<82: changeDevice()
        case ..<89: advance(random.next(upperBound: one(in: 5) ? 100_000 : 1_000 as UInt64))
        case ..<95: updateMessage()
        case ..<97: changePools()
        // Every fifth run is about refused credentials.
        case 97... where seed % 5 == 0: changePools()
        case 97: changeRoutes()
        case 98: isProviderOut.toggle()
        default: if one(in: 2) { try crash() }
        }
    }

    private mutating func accept() {
        guard disk.messages.count < 9 else { return }
        var recipients: [UInt64]?
        if !one(in: 3) {
            let count = Int(random.next(upperBound: 20 as UInt64)) + 1
            recipients = Array(1...42 as ClosedRange<UInt64>).shuffled(using: &random).prefix(count).map { $0 }
        }
        let notAfter = one(in: 4) ? now.wall.advanced(byMilliseconds: random.next(upperBound: 60_000 as UInt64)) : nil
        let content = MessageContent(
            app: Self.apps[one(in: 3) ? 1 : 0], pushType: one(in: 5) ? .background : .alert,
            expiration: one(in: 6) ? .once : .unspecified, payload: [])
        let pace = one(in: 5) ? UInt32(random.next(upperBound: 30 as UInt64)) + 1 : nil
        if let entry = disk.accept(
            content, to: recipients, notAfter: notAfter, one(in: 2) ? .bulk : .interactive, pace: pace)
        {
            notices.append(.accepted(entry))
        }
    }

    private mutating func changeDevice() {
        guard let device = disk.devices.keys.sorted().randomElement(using: &random) else { return }
        switch random.next(upperBound: 5 as UInt64) {
        case 0: disk.unregister(device)
        case 1: disk.replaceToken(of: device)
        default: disk.moveInOrOut(device)
        }
        // The registry stores it; the engine learns of it later, and only then is the change acknowledged.
        tasks.append(.announceChange(device: device))
    }

    private mutating func updateMessage() {
        let ids = disk.messages.filter { !$0.value.isFinished && !$0.value.entry.isCancelled }.keys.sorted()
        guard let id = ids.randomElement(using: &random), let stored = disk.messages[id] else { return }
        switch random.next(upperBound: 5 as UInt64) {
        case 0:
            disk.updateMessage(id) {
                $0.entry.isCancelled = true
                $0.isPaused = false
            }
            notices.append(.cancel(id))
            // One that was paused is not in memory any more, or soon will not be.
            if stored.isPaused, let entry = disk.messages[id]?.entry { notices.append(.accepted(entry)) }
        case 1:
            let pace = one(in: 3) ? nil : UInt32(random.next(upperBound: 30 as UInt64)) + 1
            disk.updateMessage(id) { $0.entry.pace = pace }
            if !stored.isPaused { notices.append(.pace(pace, id)) }
        default: stored.isPaused ? resume(id) : pause(id)
        }
    }

    private mutating func pause(_ id: MessageID) {
        disk.updateMessage(id) { $0.isPaused = true }
        notices.append(.pause(id))
    }

    private mutating func resume(_ id: MessageID) {
        disk.updateMessage(id) { ($0.isPaused, $0.known.isPaused) = (false, false) }
        if let entry = disk.messages[id]?.entry { notices.append(.accepted(entry)) }
    }

    private mutating func changePools() {
        guard let pool = Self.pools.randomElement(using: &random) else { return }
        if one(in: seed % 5 == 0 ? 10 : 2) {
            unreachable.formSymmetricDifference([pool])
            // Pools report it only after a while; not random, as above.
            if unreachable.contains(pool) {
                if seed % 2 == 0 { engine.poolUnreachable(pool, at: now) }
            } else {
                reach(pool)
            }
        } else if one(in: 4) {
            credentials.connectionEnded(of: pool)
            engine.credentialRefused(of: pool, reason: "BadCertificate", at: now)
        } else if one(in: 4) {
            restart(pool)
        } else {
            for app in Self.apps where one(in: 2) { credentials.toggle(.init(pool: pool, app: app)) }
        }
    }

    private mutating func reach(_ pool: PoolKey) {
        awake.insert(pool)
        engine.poolReachable(pool, at: now)
        paced = [:]
    }

    private mutating func restart(_ pool: PoolKey) {
        credentials.forget(pool)
        engine.poolRestarted(pool, at: now)
        // Messages leave and come back, each with a new pace.
        paced = [:]
    }

    private mutating func changeRoutes() {
        let whole = seed % 2 == 0 ? Self.routes : Self.sharedRoutes
        routes = one(in: 2) ? whole : Routes([Self.apps[0]: [.apnsProduction: EngineHarness.production]])
        engine.routesChanged(routes, at: now)
        credentials.forget()
        paced = [:]
    }

    private mutating func advance(_ milliseconds: UInt64) {
        now.wall = now.wall.advanced(byMilliseconds: milliseconds)
        now.uptime += milliseconds
        engine.timerFired(at: now)
        engine.expirePassed(at: now)
    }

    /// Everything that is not on disk is lost.
    private mutating func crash() throws {
        let answered = records.reduce(0) { $0 + $1.pushes }
        try require(flights.count + answered <= limits.unrecorded, "a crash may repeat \(flights.count + answered)")
        for key in delivered.keys where disk.recipient(key)?.outcome ?? .pending == .pending {
            forgotten[key] = delivered[key]
        }
        for key in attempts.keys { attempts[key] = disk.recipient(key)?.attempts ?? 0 }
        for key in dueAt.keys { dueAt[key] = disk.recipient(key)?.dueAt }
        askedInOther = []
        for device in silent.keys { silent[device] = disk.devices[device]?.silent }
        (tasks, notices, records, flights, awake, paced) = ([], [], [], [:], [], [:])
        credentials.forget()
        disk.markAllKnown()
        engine = DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: random.next())
    }

    // MARK: The shell

    /// Takes the engine's actions, and checks that it keeps within its bounds.
    private mutating func collect() throws {
        let actions = engine.takeActions()
        if actions.readsQueues { tasks.append(.readQueues) }
        tasks += actions.messages.map(Task.readMessages)
        tasks += actions.reads.map(Task.readPage)
        records += actions.records
        awake.formUnion(actions.wake)
        for record in actions.records {
            for delay in record.delays {
                dueAt[RecipientKey(message: record.message, page: record.page, position: delay.position)] = delay.dueAt
            }
        }
        for id in actions.finished {
            try require(!records.contains { $0.message == id }, "\(id) is finished, and not all of it is on disk")
            if let fault = disk.finish(id) { try require(false, "\(id) is finished, but \(fault)") }
        }
        try checkBounds()
    }

    /// Checks that the pages in memory are within the limits and each queue's own share.
    private func checkBounds() throws {
        let load = engine.load
        let recipients = limits.recipients + Self.queueCount * limits.pagesPerQueue * limits.recipientsPerPage
        try require(
            load.messages <= limits.messages + Self.queueCount * limits.messagesPerQueue, "too many messages: \(load)")
        try require(load.recipients <= recipients, "too many recipients: \(load)")
        // Each page in memory may be suspended after the bound is reached.
        try require(load.suspended <= limits.suspendedPages + recipients, "too many suspended: \(load)")
        try require(load.changes <= limits.changedDevices, "too many changes: \(load)")
        try require(load.inFlight == flights.count, "\(load.inFlight) counted in flight, \(flights.count) are")
        try require(load.inFlight + load.unrecorded <= limits.unrecorded, "too many unrecorded: \(load)")
        try require(load.queuedPages <= Self.pools.count * 2 * (65 + 2 * recipients), "too many queued: \(load)")
        try require(engine.silent.count <= limits.unrecorded, "\(engine.silent.count) devices have silent pushes")
    }

    /// Does one task: writes a record, gives a notice to the engine, reads.
    private mutating func work() throws {
        // Records are written in their order, notices are given in theirs, all else happens in any order.
        let isIdle = tasks.isEmpty && notices.isEmpty
        if !records.isEmpty, isIdle || one(in: 3) {
            let record = records.removeFirst()
            if let fault = disk.write(record) { try require(false, "\(EngineHarness.transcript(record)): \(fault)") }
            return tasks.append(.recorded(record))
        }
        if !notices.isEmpty, tasks.isEmpty || one(in: 3) { return give(notices.removeFirst()) }
        guard !tasks.isEmpty else { return }
        switch tasks.remove(at: Int(random.next(upperBound: UInt64(tasks.count)))) {
        case .readQueues:
            if one(in: 10) { engine.queuesUnreadable() } else { tasks.append(.queuesRead(disk.queues)) }
        case .queuesRead(let queues): engine.queuesRead(queues)
        case .readMessages(let read):
            let isBroken = one(in: 20)
            let entries = isBroken ? [] : disk.unfinished(read.queue, after: read.after, limit: read.limit)
            tasks.append(.messagesRead(entries, of: read.queue, isEnd: !isBroken && entries.count < read.limit))
        case .messagesRead(let entries, let queue, let isEnd):
            // Some come back, each with a new pace.
            for entry in entries { paced[entry.id] = nil }
            engine.messagesRead(entries, of: queue, isEnd: isEnd, at: now)
        case .readPage(let read):
            let page =
                read.isNext
                ? disk.nextPage(of: read.message, from: read.page) : disk.page(read.page, of: read.message)
            tasks.append(.pageRead(page, read))
        case .pageRead(let page, let read): engine.pageRead(page, read, at: now)
        case .recorded(let record): engine.recorded(record, at: now)
        case .announceChange(let device):
            if one(in: 8) {
                engine.allDevicesChanged()
            } else if let app = disk.devices[device]?.app {
                engine.deviceChanged(DeviceID(rawValue: device), of: app)
            }
            disk.markKnown(device)
        }
    }

    private mutating func give(_ notice: Notice) {
        let id = notice.message
        switch notice {
        case .accepted(let entry):
            engine.messageAccepted(entry, at: now)
            disk.updateMessage(id) { $0.known = ($0.known.isCancelled || entry.isCancelled, false, entry.pace) }
        case .cancel:
            engine.cancel(id, at: now)
            disk.updateMessage(id) { $0.known.isCancelled = true }
        case .pause:
            engine.pause(id, at: now)
            // Unless it was resumed since, on disk: from there the engine may have read it.
            let isNewest = !notices.contains { $0.message == id }
            disk.updateMessage(id) { $0.known.isPaused = isNewest }
        case .pace(let pace, _):
            engine.setPace(pace, of: id, at: now)
            disk.updateMessage(id) { $0.known.pace = pace }
        }
        paced[id] = nil
    }

    // MARK: Connections

    private mutating func pull() throws {
        let asking = awake.subtracting(unreachable).sorted { $0.description < $1.description }
        guard let pool = asking.randomElement(using: &random) else { return }
        let limit = Int(random.next(upperBound: 6 as UInt64)) + 1
        let bulkLimit = Int(random.next(upperBound: 6 as UInt64)) + 1
        var deliveries: [Delivery] = []
        engine.pull(for: pool, PullLimits(limit, bulk: bulkLimit), at: now, into: &deliveries)
        if deliveries.isEmpty { awake.remove(pool) }
        try require(deliveries.count <= limit, "more was pulled than asked for")
        let bulk = deliveries.count { disk.messages[$0.message.id]?.entry.lane == .bulk }
        try require(bulk <= bulkLimit, "more of the bulk lane was pulled than asked for")
        for delivery in deliveries { try handOut(delivery, pool) }
    }

    private mutating func handOut(_ delivery: Delivery, _ pool: PoolKey) throws {
        let key = RecipientKey(delivery)
        let device = delivery.device.rawValue
        let recipient = delivery.page.recipients[delivery.index]
        try require(flights[key] == nil, "\(key) is in flight twice")
        if let fault = disk.fault(of: delivery, at: now.wall) { try require(false, "\(key): \(fault)") }
        try require(attempts[key, default: 0] < policy.unknown.attempts, "\(key) is tried too often")
        try require(dueAt[key].map { $0 <= now.wall } ?? true, "\(key) is not due yet")
        let app = delivery.message.content.app
        try require(routes.pool(for: app, pool.service) == pool, "\(key) goes to a pool of another app")
        let use = SimulatedCredentials.Use(pool: pool, app: app)
        let fault = credentials.handedOut(key, use, at: now.uptime)
        try require(fault == nil, fault ?? "")

        let token = delivery.page.withToken(at: delivery.index) { $0.first ?? 0 }
        if recipient.environment != pool.service.environment {
            let bad = BadToken(key: key, token: token, environment: recipient.environment)
            try require(badTokens.contains(bad), "\(key) goes to the wrong APNs")
            try require(!askedInOther.contains(bad), "\(key) is asked for in the other APNs twice")
        }
        let isSilent = delivery.message.content.pushType == .background
        if isSilent {
            let isAlone = !flights.values.contains { $0.isSilent && $0.delivery.device == delivery.device }
            try require(isAlone, "device \(device) has two silent pushes on the way")
            try require(
                silent[device, default: 0] < SimulatedOutbox.budget, "device \(device) is over its silent-push budget")
        }
        flights[key] = Flight(delivery: delivery, pool: pool, isSilent: isSilent, token: token)
        try checkPace(delivery.message.id)
    }

    private mutating func checkPace(_ id: MessageID) throws {
        guard let stored = disk.messages[id], let pace = stored.known.pace, stored.entry.pace == pace else { return }
        var times = paced[id] ?? []
        times.append(now.uptime)
        paced[id] = times
        let burst = Double(max(1, pace / 10))
        for (index, first) in times.enumerated() {
            let allowed = burst + Double(pace) * Double(now.uptime - first) / 1_000
            try require(Double(times.count - index) <= allowed, "\(id) is sent faster than \(pace) a second")
        }
    }

    private mutating func complete(upTo count: Int, verdict: Verdict? = nil) throws {
        var results: [PoolKey: [DeliveryResult]] = [:]
        for key in flights.keys.sorted().shuffled(using: &random).prefix(count) {
            guard let flight = flights.removeValue(forKey: key) else { continue }
            let verdict = verdict ?? answer(to: flight)
            try countResult(verdict, of: key, flight: flight)
            results[flight.pool, default: []].append(DeliveryResult(flight.delivery.attempt, verdict, connection: 1))
            awake.insert(flight.pool)
        }
        for (pool, results) in results.sorted(by: { $0.key.description < $1.key.description }) {
            engine.completed(results, for: pool, at: now)
        }
    }

    private mutating func countResult(_ verdict: Verdict, of key: RecipientKey, flight: Flight) throws {
        let own = flight.delivery.page.recipients[flight.delivery.index].environment
        let token = BadToken(key: key, token: flight.token, environment: own)
        let isOther = own != flight.pool.service.environment
        let use = SimulatedCredentials.Use(pool: flight.pool, app: flight.delivery.message.content.app)
        credentials.completed(key, of: use, with: verdict, at: now.uptime)
        switch verdict {
        case .delivered:
            delivered[key, default: 0] += 1
            let count = delivered[key, default: 0]
            try require(count <= 1 + forgotten[key, default: 0], "\(key) was delivered \(count) times")
            if flight.isSilent { silent[flight.delivery.device.rawValue, default: 0] += 1 }
        case .unknown, .tryLater:
            attempts[key, default: 0] += 1
        case .refused(.badToken, _):
            badTokens.insert(token)
            if isOther { askedInOther.insert(token) }
        case .refused:
            if isOther { askedInOther.insert(token) }
        case .notProcessed, .credentialRefused: break
        }
    }

    private mutating func answer(to flight: Flight) -> Verdict {
        let use = SimulatedCredentials.Use(pool: flight.pool, app: flight.delivery.message.content.app)
        guard credentials.accepts(use) else { return .credentialRefused }
        guard let device = disk.devices[flight.delivery.device.rawValue] else { return .unknown }
        if isProviderOut, !one(in: 5) { return .tryLater(.serverBusy, afterMilliseconds: nil) }
        let chance = random.next(upperBound: 16 as UInt64)
        switch chance {
        case 0, 1: return .notProcessed
        case 2: return .unknown
        case 3: return .tryLater(.tokenThrottled, afterMilliseconds: nil)
        case 4: return .tryLater(.serverBusy, afterMilliseconds: random.next(upperBound: 5_000 as UInt64))
        case 5: return .refused(.tokenUnregistered, deadSince: now.wall)
        case 6: return .refused(.payloadTooLarge, deadSince: nil)
        default:
            let isGood = device.trueEnvironment == flight.pool.service.environment && flight.token == device.now.token
            return isGood ? .delivered : .refused(.badToken, deadSince: nil)
        }
    }

    private mutating func loseConnections() throws {
        try complete(upTo: .max, verdict: one(in: 2) ? .unknown : .notProcessed)
    }

    // MARK: The end

    /// Goes on without random events until nothing is left to do; then everything must have ended.
    private mutating func runToEnd() throws {
        isProviderOut = false
        for pool in unreachable.sorted(by: { $0.description < $1.description }) { reach(pool) }
        unreachable = []
        awake = Set(Self.pools)
        // The engine must find it out.
        credentials.acceptAll()
        routes = Self.routes
        engine.routesChanged(routes, at: now)
        credentials.forget()
        for id in disk.messages.keys.sorted() where disk.messages[id]?.isPaused == true { resume(id) }
        paced = [:]
        try collect()
        for _ in 0..<20_000 {
            step += 1
            if !tasks.isEmpty || !records.isEmpty || !notices.isEmpty {
                try work()
            } else if !awake.isEmpty {
                try pull()
            } else if !flights.isEmpty {
                try complete(upTo: 8)
            } else if let deadline = engine.deadline {
                advance(deadline - min(deadline, now.uptime))
            } else {
                return try checkEnd()
            }
            try collect()
        }
        try require(false, "it does not end")
    }

    private func checkEnd() throws {
        for (id, message) in disk.messages.sorted(by: { $0.key < $1.key }) {
            let pending = message.pages.flatMap { page, recipients in
                recipients.filter { $0.value.outcome == .pending }.keys.map { "\(page).\($0)" }
            }
            try require(pending.isEmpty, "nothing moves, and of \(id) these have not ended: \(pending.sorted())")
            try require(message.isFinished, "nothing moves, and \(id) is not finished")
        }
        let load = engine.load
        let expected = DeliveryEngine.Load(
            messages: 0, recipients: 0, queuedPages: load.queuedPages, suspended: 0, timers: load.timers, inFlight: 0,
            unrecorded: 0, changes: load.changes)
        try require(load == expected, "at the end with \(load)")
        try require(engine.messages.isIdle, "at the end with \(engine.messages)")
        try require(engine.cache.isEmpty && engine.silent.count == 0, "at the end with pages in memory or being read")
    }

    private func require(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw Violation(seed: seed, step: step, what: what()) }
    }
}
