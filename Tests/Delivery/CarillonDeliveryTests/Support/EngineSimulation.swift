import CarillonCore

@testable import CarillonDelivery

/// An engine under random events: connections that break, reads that come late, devices that change, messages that are
/// updated, credentials that are refused, crashes.
///
/// Everything follows from the seed. What must never happen is thrown as a `Violation`.
struct EngineSimulation {
    /// A guarantee that was broken.
    struct Violation: Error, CustomStringConvertible {
        var seed: UInt64
        var step: Int
        var fault: String
        var description: String { "seed \(seed), step \(step): \(fault)" }
    }

    typealias RecipientKey = SimulatedRegistry.RecipientKey

    /// An effect that the engine asked for: to be done, or done and to be given to the engine. Tasks are done in any
    /// order.
    enum Task {
        case readQueues
        case queuesRead(Set<OutboxQueue>)
        case readMessages(DeliveryEngine.Actions.MessagesRead)
        case messagesRead([OutboundMessage], of: OutboxQueue, isEnd: Bool)
        case readPage(DeliveryEngine.Actions.PageRead)
        case pageRead(RecipientPage?, DeliveryEngine.Actions.PageRead)
        case recordWritten(OutcomeRecord)
        case deviceChanged(device: UInt64)
    }

    /// The results that are on disk and must be given to the engine, in order.
    enum Notice {
        case accepted(OutboundMessage)
        case cancel(MessageID)
        case pause(MessageID)
        case pace(UInt32?, MessageID)

        var message: MessageID {
            switch self {
            case .accepted(let outbound): outbound.id
            case .cancel(let id), .pause(let id), .pace(_, let id): id
            }
        }
    }

    /// A delivery that was handed out and has no verdict.
    struct DeliveryInFlight {
        var delivery: Delivery
        var pool: PoolKey
        var isSilent: Bool
        var token: UInt8
    }

    /// A token that was called bad in its environment, for one recipient.
    struct BadToken: Hashable {
        var key: RecipientKey
        var token: UInt8
        var environment: APNsEnvironment
    }

    static let apps = [EngineHarness.app, EngineHarness.otherApp]
    static let pools: [PoolKey] = ["key", "chat"].flatMap { credential in
        APNsEnvironment.allCases.map { PoolKey(destination: PushDestination($0), credential: credential) }
    }
    static let routes = Routes([
        apps[0]: [.apnsProduction: PoolKey.production, .apnsSandbox: PoolKey.sandbox],
        apps[1]: [
            .apnsProduction: PoolKey(destination: .apnsProduction, credential: "chat"),
            .apnsSandbox: PoolKey(destination: .apnsSandbox, credential: "chat"),
        ],
    ])
    /// The routes of two apps that share a credential.
    static let sharedRoutes = Routes([
        apps[0]: [.apnsProduction: PoolKey.production, .apnsSandbox: PoolKey.sandbox],
        apps[1]: [.apnsProduction: PoolKey.production, .apnsSandbox: PoolKey.sandbox],
    ])
    /// The number of queues: lanes times apps.
    static let queueCount = 4

    let seed: UInt64
    var random: SeededGenerator
    var step = 0
    var now = Moment(wall: SimulatedRegistry.sendableSince, uptime: 1_000)
    var registry = SimulatedRegistry()
    var engine: DeliveryEngine
    var limits = DeliveryEngine.Limits()
    var policy = RetryPolicy()
    var routes = Self.routes
    var tasks: [Task] = []
    var notices: [Notice] = []
    var records: [OutcomeRecord] = []
    var deliveriesInFlight: [RecipientKey: DeliveryInFlight] = [:]
    /// The pools that have a reason to ask for work: they were woken, or gave deliveries back.
    var awake: Set<PoolKey> = []
    var unreachable: Set<PoolKey> = []
    var credentials = SimulatedCredentials()
    var isProviderOut = false

    // What was seen, to compare with the guarantees.
    /// The number of attempts without a final answer; those that a crash lost do not count.
    var attempts: [RecipientKey: UInt8] = [:]
    var dueAt: [RecipientKey: Timestamp] = [:]
    var delivered: [RecipientKey: Int] = [:]
    /// The number of deliveries that the provider has accepted and a crash lost.
    var forgotten: [RecipientKey: Int] = [:]
    var silent: [UInt64: Int] = [:]
    var badTokens: Set<BadToken> = []
    var tokensAskedInOtherAPNs: Set<BadToken> = []
    /// The times at which deliveries of a message with a pace were handed out, since the pace was set.
    var paced: [MessageID: [Uptime]] = [:]

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        limits.messages = 2 + Int(random.next(upperBound: 8 as UInt64))
        limits.reservedMessagesPerQueue = 1 + Int(random.next(upperBound: 2 as UInt64))
        limits.recipientsPerPage = Int(SimulatedRegistry.recipientsPerPage)
        limits.recipients = (2 + Int(random.next(upperBound: 8 as UInt64))) * limits.recipientsPerPage
        limits.reservedPagesPerQueue = 1 + Int(random.next(upperBound: 2 as UInt64))
        limits.unrecordedDeliveries = 1 + Int(random.next(upperBound: 20 as UInt64))
        limits.concurrentReads = 1 + Int(random.next(upperBound: 5 as UInt64))
        limits.pagesPerMessage = 1 + Int(random.next(upperBound: 2 as UInt64))
        limits.suspendedPages = 1 + Int(random.next(upperBound: 6 as UInt64))
        limits.deliveriesPerTurn = 1 + Int(random.next(upperBound: 4 as UInt64))
        limits.bufferMilliseconds = random.next(upperBound: 200 as UInt64)
        limits.changedDevices = 1 + Int(random.next(upperBound: 5 as UInt64))
        // These follow from the seed without a random number, so that the runs of remembered seeds stay as they were.
        limits.minimumRereadMilliseconds = seed % 3 * 10_000
        limits.minimumPacedRecipients = 1 + Int(seed % 4)
        limits.pacedSeconds = Int(seed % 5 / 4)
        let attempts = 2 + UInt8(random.next(upperBound: 4 as UInt64))
        policy.unknown.maximumAttempts = attempts
        var backoffs = ProviderBackoffs()
        backoffs.throttled.maximumAttempts = attempts
        backoffs.busy.maximumAttempts = attempts
        policy.providers[.apns] = backoffs
        engine = DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: seed)
        for device in 1...40 as ClosedRange<UInt64> {
            let environment: APNsEnvironment = chance(oneIn: 3) ? .sandbox : .production
            registry.register(
                device,
                .init(
                    app: Self.apps[chance(oneIn: 3) ? 1 : 0], environment: environment,
                    trueEnvironment: chance(oneIn: 10)
                        ? (environment == .production ? .sandbox : .production) : environment))
        }
    }

    /// Runs `steps` random steps and then lets everything end.
    mutating func run(steps: Int) throws {
        try takeActions()
        for _ in 0..<steps {
            step += 1
            try randomStep()
            try takeActions()
        }
        try runToEnd()
    }

    // MARK: The shell

    /// Takes the engine's actions, and checks that it keeps within its bounds.
    mutating func takeActions() throws {
        let actions = engine.takeActions()
        if actions.readsQueues { tasks.append(.readQueues) }
        tasks += actions.messageReads.map(Task.readMessages)
        tasks += actions.pageReads.map(Task.readPage)
        records += actions.records
        awake.formUnion(actions.poolsToWake)
        for record in actions.records {
            for delay in record.delays {
                dueAt[RecipientKey(message: record.message, page: record.page, position: delay.position)] = delay.dueAt
            }
        }
        for id in actions.finishedMessages {
            try require(!records.contains { $0.message == id }, "\(id) is finished, and not all of it is on disk")
            if let fault = registry.finish(id) { try require(false, "\(id) is finished, but \(fault)") }
        }
        try checkBounds()
    }

    /// Does one task: writes a record, gives a notice to the engine, reads.
    mutating func doTask() throws {
        // Records are written in their order, notices are given in theirs, all else happens in any order.
        let isIdle = tasks.isEmpty && notices.isEmpty
        if !records.isEmpty, isIdle || chance(oneIn: 3) {
            let record = records.removeFirst()
            if let fault = registry.write(record) {
                try require(false, "\([record].transcript): \(fault)")
            }
            return tasks.append(.recordWritten(record))
        }
        if !notices.isEmpty, tasks.isEmpty || chance(oneIn: 3) { return tell(notices.removeFirst()) }
        guard !tasks.isEmpty else { return }
        switch tasks.remove(at: Int(random.next(upperBound: UInt64(tasks.count)))) {
        case .readQueues:
            if chance(oneIn: 10) { engine.queuesUnreadable() } else { tasks.append(.queuesRead(registry.queues)) }
        case .queuesRead(let queues): engine.queuesRead(queues)
        case .readMessages(let read):
            let isBroken = chance(oneIn: 20)
            let entries = isBroken ? [] : registry.unfinished(read.queue, after: read.after, limit: read.limit)
            tasks.append(.messagesRead(entries, of: read.queue, isEnd: !isBroken && entries.count < read.limit))
        case .messagesRead(let entries, let queue, let isEnd):
            // Messages that come back begin a new pace.
            for outbound in entries { paced[outbound.id] = nil }
            engine.messagesRead(entries, of: queue, isEnd: isEnd, at: now)
        case .readPage(let read):
            let page =
                read.isNext
                ? registry.nextPage(of: read.message, from: read.page) : registry.page(read.page, of: read.message)
            tasks.append(.pageRead(page, read))
        case .pageRead(let page, let read): engine.pageRead(page, for: read, at: now)
        case .recordWritten(let record): engine.recordWritten(record, at: now)
        case .deviceChanged(let device):
            if chance(oneIn: 8) {
                engine.allDevicesChanged()
            } else if let app = registry.devices[device]?.app {
                engine.deviceChanged(DeviceID(rawValue: device), of: app)
            }
            registry.markKnown(device)
        }
    }

    mutating func tell(_ notice: Notice) {
        let id = notice.message
        switch notice {
        case .accepted(let outbound):
            engine.messageAccepted(outbound, at: now)
            registry.updateMessage(id) {
                $0.known = ($0.known.isCancelled || outbound.isCancelled, false, outbound.pace)
            }
        case .cancel:
            engine.cancel(id, at: now)
            registry.updateMessage(id) { $0.known.isCancelled = true }
        case .pause:
            engine.pause(id, at: now)
            // If it was resumed on disk since, the engine may have read it from there.
            let isNewest = !notices.contains { $0.message == id }
            registry.updateMessage(id) { $0.known.isPaused = isNewest }
        case .pace(let pace, _):
            engine.setPace(pace, of: id, at: now)
            registry.updateMessage(id) { $0.known.pace = pace }
        }
        paced[id] = nil
    }

    // MARK: Connections

    mutating func pull() throws {
        let asking = awake.subtracting(unreachable).sorted { $0.description < $1.description }
        guard let pool = asking.randomElement(using: &random) else { return }
        let limit = Int(random.next(upperBound: 6 as UInt64)) + 1
        let bulkLimit = Int(random.next(upperBound: 6 as UInt64)) + 1
        var deliveries: [Delivery] = []
        engine.pull(for: pool, PullLimits(limit, bulk: bulkLimit), at: now, into: &deliveries)
        if deliveries.isEmpty { awake.remove(pool) }
        try require(deliveries.count <= limit, "more was pulled than asked for")
        let bulk = deliveries.count { registry.messages[$0.message.id]?.outbound.lane == .bulk }
        try require(bulk <= bulkLimit, "more of the bulk lane was pulled than asked for")
        for delivery in deliveries { try handOut(delivery, pool) }
    }

    mutating func handOut(_ delivery: Delivery, _ pool: PoolKey) throws {
        let key = RecipientKey(delivery)
        let device = delivery.device.rawValue
        let recipient = delivery.page.recipients[delivery.index]
        try require(deliveriesInFlight[key] == nil, "\(key) is in flight twice")
        if let fault = registry.fault(of: delivery, at: now.wall) { try require(false, "\(key): \(fault)") }
        try require(attempts[key, default: 0] < policy.unknown.maximumAttempts, "\(key) is tried too often")
        try require(dueAt[key].map { $0 <= now.wall } ?? true, "\(key) is not due yet")
        let app = delivery.message.content.app
        try require(routes.pool(for: app, at: pool.destination) == pool, "\(key) goes to a pool of another app")
        let use = SimulatedCredentials.Use(pool: pool, app: app)
        let fault = credentials.handedOut(key, use, at: now.uptime)
        try require(fault == nil, fault ?? "")

        let token = delivery.page.withToken(at: delivery.index) { $0.first ?? 0 }
        if recipient.environment != pool.destination.environment {
            let bad = BadToken(key: key, token: token, environment: recipient.environment)
            try require(badTokens.contains(bad), "\(key) goes to the wrong APNs")
            try require(!tokensAskedInOtherAPNs.contains(bad), "\(key) is asked for in the other APNs twice")
        }
        let isSilent = delivery.message.content.pushType == .background
        if isSilent {
            let isAlone = !deliveriesInFlight.values.contains { $0.isSilent && $0.delivery.device == delivery.device }
            try require(isAlone, "device \(device) has two silent pushes on the way")
            try require(
                silent[device, default: 0] < SimulatedRegistry.budget, "device \(device) is over its silent-push budget"
            )
        }
        deliveriesInFlight[key] = DeliveryInFlight(delivery: delivery, pool: pool, isSilent: isSilent, token: token)
        try checkPace(delivery.message.id)
    }

    mutating func complete(upTo count: Int, verdict: Verdict? = nil) throws {
        var results: [PoolKey: [AttemptResult]] = [:]
        for key in deliveriesInFlight.keys.sorted().shuffled(using: &random).prefix(count) {
            guard let inFlight = deliveriesInFlight.removeValue(forKey: key) else { continue }
            let verdict = verdict ?? answer(to: inFlight)
            try countResult(verdict, of: key, inFlight: inFlight)
            results[inFlight.pool, default: []].append(
                AttemptResult(inFlight.delivery.attempt, verdict: verdict, connection: 1))
            awake.insert(inFlight.pool)
        }
        for (pool, results) in results.sorted(by: { $0.key.description < $1.key.description }) {
            engine.attemptsEnded(results, for: pool, at: now)
        }
    }

    mutating func countResult(_ verdict: Verdict, of key: RecipientKey, inFlight: DeliveryInFlight) throws {
        let own = inFlight.delivery.page.recipients[inFlight.delivery.index].environment
        let token = BadToken(key: key, token: inFlight.token, environment: own)
        let isOther = own != inFlight.pool.destination.environment
        let use = SimulatedCredentials.Use(pool: inFlight.pool, app: inFlight.delivery.message.content.app)
        credentials.completed(key, of: use, with: verdict, at: now.uptime)
        switch verdict {
        case .delivered:
            delivered[key, default: 0] += 1
            let count = delivered[key, default: 0]
            try require(count <= 1 + forgotten[key, default: 0], "\(key) was delivered \(count) times")
            if inFlight.isSilent { silent[inFlight.delivery.device.rawValue, default: 0] += 1 }
        case .tryLater(.heldBack, _): break
        case .unknown, .tryLater:
            attempts[key, default: 0] += 1
        case .refused(.badToken, _):
            badTokens.insert(token)
            if isOther { tokensAskedInOtherAPNs.insert(token) }
        case .refused:
            if isOther { tokensAskedInOtherAPNs.insert(token) }
        case .notProcessed, .credentialRefused: break
        }
    }

    mutating func answer(to inFlight: DeliveryInFlight) -> Verdict {
        let use = SimulatedCredentials.Use(pool: inFlight.pool, app: inFlight.delivery.message.content.app)
        guard credentials.accepts(use) else { return .credentialRefused }
        guard let device = registry.devices[inFlight.delivery.device.rawValue] else { return .unknown }
        if isProviderOut, !chance(oneIn: 5) { return .tryLater(.serverBusy, afterMilliseconds: nil) }
        let chance = random.next(upperBound: 16 as UInt64)
        switch chance {
        case 0, 1: return .notProcessed
        case 2: return .unknown
        case 3: return .tryLater(.throttled, afterMilliseconds: nil)
        case 4: return .tryLater(.serverBusy, afterMilliseconds: random.next(upperBound: 5_000 as UInt64))
        case 5: return .refused(.tokenUnregistered, deadSince: now.wall)
        case 6: return .refused(.payloadTooLarge, deadSince: nil)
        case 7: return .tryLater(.heldBack, afterMilliseconds: random.next(upperBound: 5_000 as UInt64))
        default:
            let environment = inFlight.pool.destination.environment
            let isGood = device.trueEnvironment == environment && inFlight.token == device.now.token
            return isGood ? .delivered : .refused(.badToken, deadSince: nil)
        }
    }

    mutating func loseConnections() throws {
        try complete(upTo: .max, verdict: chance(oneIn: 2) ? .unknown : .notProcessed)
    }

    // MARK: The end

    /// Goes on without random events until nothing is left to do; then everything must have ended.
    mutating func runToEnd() throws {
        isProviderOut = false
        for pool in unreachable.sorted(by: { $0.description < $1.description }) { poolBecameReachable(pool) }
        unreachable = []
        awake = Set(Self.pools)
        // The engine is not told: it must find out by trials.
        credentials.acceptAll()
        routes = Self.routes
        engine.routesChanged(routes, at: now)
        credentials.forget()
        for id in registry.messages.keys.sorted() where registry.messages[id]?.isPaused == true { resume(id) }
        paced = [:]
        try takeActions()
        for _ in 0..<20_000 {
            step += 1
            if !tasks.isEmpty || !records.isEmpty || !notices.isEmpty {
                try doTask()
            } else if !awake.isEmpty {
                try pull()
            } else if !deliveriesInFlight.isEmpty {
                try complete(upTo: 8)
            } else if let deadline = engine.deadline {
                advance(deadline - min(deadline, now.uptime))
            } else {
                return try checkEnd()
            }
            try takeActions()
        }
        try require(false, "it does not end")
    }
}
