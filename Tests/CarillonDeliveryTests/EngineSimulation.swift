import CarillonCore

@testable import CarillonDelivery

/// An engine in a world of chance: connections that break, readings that come late, devices that change, restarts.
///
/// Everything follows from the seed. What must never happen is thrown as a `Violation`.
struct EngineSimulation {
    /// A promise that was broken.
    struct Violation: Error, CustomStringConvertible {
        var seed: UInt64
        var step: Int
        var what: String
        var description: String { "seed \(seed), step \(step): \(what)" }
    }

    /// What the shell has been asked for and has not done, or has done and not yet told.
    private enum Task {
        case readMessages(after: MessageID?, limit: Int)
        case messagesRead([OutboxEntry], wasLast: Bool)
        case readPage(DeliveryEngine.Effects.Read)
        case pageRead(RecipientPage?, DeliveryEngine.Effects.Read)
        case recorded(OutcomeRecord)
        case tellChange(device: UInt64)
    }

    private struct Flight {
        var delivery: Delivery
        var pool: PoolKey
    }

    private static let app = EngineDesk.app
    private static let pools = [EngineDesk.production, EngineDesk.sandbox]

    private let seed: UInt64
    private var random: SplitMix
    private var step = 0
    private var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptimeMilliseconds: 1_000)
    private var disk = SimulatedOutbox()
    private var engine: DeliveryEngine
    private var limits: DeliveryEngine.Limits
    private var routes = EngineDesk.routes
    private var tasks: [Task] = []
    private var records: [OutcomeRecord] = []
    private var flights: [SimulatedOutbox.Place: Flight] = [:]
    /// Pools that have reason to ask for work: they were woken, or gave something back.
    private var awake: Set<PoolKey> = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix(state: seed)
        limits = DeliveryEngine.Limits()
        limits.messages = Int(random.next(upperBound: 6 as UInt64)) + 2
        limits.recipients = (Int(random.next(upperBound: 3 as UInt64)) + 2) * RegistryLimits.recipientsPerPage
        limits.unrecorded = Int(random.next(upperBound: 12 as UInt64)) + 1
        limits.reads = Int(random.next(upperBound: 3 as UInt64)) + 1
        limits.pagesPerMessage = Int(random.next(upperBound: 2 as UInt64)) + 1
        limits.turn = Int(random.next(upperBound: 4 as UInt64)) + 1
        limits.changes = Int(random.next(upperBound: 5 as UInt64)) + 1
        engine = DeliveryEngine(routes: routes, limits: limits, seed: seed)
        for device in 1...30 as ClosedRange<UInt64> {
            disk.register(device, one(in: 3) ? .sandbox : .production, one(in: 8) ? .voip : .device)
        }
    }

    /// Runs `steps` steps of chance and then lets everything come to its end.
    mutating func run(steps: Int) throws {
        try collect()
        for _ in 0..<steps {
            step += 1
            try stepOfChance()
            try collect()
        }
        try settle()
    }

    // MARK: Chance

    private mutating func one(in count: UInt64) -> Bool { random.next(upperBound: count) == 0 }

    private mutating func stepOfChance() throws {
        switch random.next(upperBound: 100 as UInt64) {
        case ..<12: accept()
        case ..<40: try doTask()
        case ..<60: try pull()
        case ..<75: complete(upTo: Int(random.next(upperBound: 5 as UInt64)) + 1)
        case ..<78: loseConnections()
        case ..<86: changeDevice()
        case ..<95: advance(random.next(upperBound: one(in: 5) ? 100_000 : 1_000 as UInt64))
        case ..<98: engine.expirePassed(at: now)
        case 98: changeRoutes()
        default: restart()
        }
    }

    private mutating func accept() {
        guard disk.messages.count < 24 else { return }
        let count = Int(random.next(upperBound: 24 as UInt64)) + 1
        let devices = (0..<count).map { _ in random.next(upperBound: 32 as UInt64) }
        let notAfter = one(in: 4) ? now.wall.advanced(byMilliseconds: random.next(upperBound: 60_000 as UInt64)) : nil
        let content = MessageContent(
            app: Self.app, pushType: one(in: 8) ? .voip : .alert, expiration: one(in: 6) ? .once : .unspecified,
            payload: [])
        if let entry = disk.accept(content, to: devices, notAfter: notAfter, one(in: 3) ? .bulk : .interactive) {
            engine.messageAccepted(entry, at: now)
        }
    }

    private mutating func changeDevice() {
        guard let device = disk.devices.keys.sorted().randomElement(using: &random) else { return }
        if one(in: 3) { disk.unregister(device) } else { disk.replaceToken(of: device) }
        // The registry has it; the engine hears of it a little later, and only then is the change acknowledged.
        tasks.append(.tellChange(device: device))
    }

    private mutating func changeRoutes() {
        routes = one(in: 2) ? EngineDesk.routes : Routes([Self.app: [.production: EngineDesk.production]])
        engine.routesChanged(routes)
    }

    private mutating func advance(_ milliseconds: UInt64) {
        now.wall = now.wall.advanced(byMilliseconds: milliseconds)
        now.uptimeMilliseconds += milliseconds
        engine.timerFired(at: now)
    }

    private mutating func restart() {
        tasks = []
        records = []
        flights = [:]
        awake = []
        disk.everythingIsTold()
        engine = DeliveryEngine(routes: routes, limits: limits, seed: random.next())
    }

    // MARK: The shell

    /// Takes the engine's effects, and looks whether it keeps within its bounds.
    private mutating func collect() throws {
        let effects = engine.takeEffects()
        if let request = effects.readMessages {
            tasks.append(.readMessages(after: request.after, limit: request.limit))
        }
        tasks += effects.reads.map(Task.readPage)
        records += effects.records
        awake.formUnion(effects.wake)
        let load = engine.load
        try require(load.messages <= limits.messages, "\(load.messages) messages in memory")
        try require(load.recipients <= limits.recipients, "\(load.recipients) recipients in memory")
        try require(load.changes <= limits.changes, "\(load.changes) changes in memory")
        try require(load.inFlight == flights.count, "\(load.inFlight) counted in flight, \(flights.count) are")
    }

    private mutating func doTask() throws {
        // Records are written in their order, all else happens in any.
        if !records.isEmpty, one(in: 2) {
            let record = records.removeFirst()
            try require(disk.write(record), "a recipient ended twice: \(EngineDesk.words(record))")
            tasks.append(.recorded(record))
            return
        }
        guard !tasks.isEmpty else { return }
        let task = tasks.remove(at: Int(random.next(upperBound: UInt64(tasks.count))))
        switch task {
        case .readMessages(let after, let limit):
            let entries = disk.unfinished(after: after, limit: limit)
            tasks.append(.messagesRead(entries, wasLast: entries.count < limit))
        case .messagesRead(let entries, let wasLast): engine.messagesRead(entries, wasLast: wasLast, at: now)
        case .readPage(let read): tasks.append(.pageRead(disk.page(read.page, of: read.message), read))
        case .pageRead(let page, let read): engine.pageRead(page, read, at: now)
        case .recorded(let record): engine.recorded(record)
        case .tellChange(let device):
            engine.deviceChanged(DeviceID(rawValue: device), of: Self.app)
            disk.isTold(device)
        }
    }

    private mutating func pull() throws {
        guard let pool = awake.sorted(by: { $0.description < $1.description }).randomElement(using: &random) else {
            return
        }
        let limit = Int(random.next(upperBound: 6 as UInt64)) + 1
        var deliveries: [Delivery] = []
        engine.pull(for: pool, limit: limit, at: now, into: &deliveries)
        try require(deliveries.count <= limit, "more was pulled than asked for")
        if deliveries.count < limit { awake.remove(pool) }
        for delivery in deliveries {
            let place = SimulatedOutbox.Place(delivery)
            try require(flights[place] == nil, "\(place) is in flight twice")
            if let fault = disk.fault(of: delivery, in: pool, at: now.wall) { try require(false, "\(place): \(fault)") }
            flights[place] = Flight(delivery: delivery, pool: pool)
        }
        let load = engine.load
        let isWithin = deliveries.isEmpty || load.inFlight + load.unrecorded <= limits.unrecorded
        try require(isWithin, "\(load) after a pull")
    }

    private mutating func complete(upTo count: Int, verdict: Verdict? = nil) {
        var results: [DeliveryResult] = []
        for place in flights.keys.sorted().shuffled(using: &random).prefix(count) {
            guard let flight = flights.removeValue(forKey: place) else { continue }
            results.append(DeliveryResult(flight.delivery, verdict ?? anyVerdict()))
            awake.insert(flight.pool)
        }
        engine.completed(results, at: now)
    }

    private mutating func anyVerdict() -> Verdict {
        switch random.next(upperBound: 12 as UInt64) {
        case 0: .notProcessed
        case 1: .unknown
        case 2: .tryLater(.tokenThrottled, afterMilliseconds: nil)
        case 3: .tryLater(.serverBusy, afterMilliseconds: random.next(upperBound: 5_000 as UInt64))
        case 4: .refused(.tokenUnregistered, deadSince: now.wall)
        case 5: .refused(.badToken, deadSince: nil)
        case 6: .credentialRefused
        default: .delivered
        }
    }

    private mutating func loseConnections() {
        complete(upTo: .max, verdict: one(in: 2) ? .unknown : .notProcessed)
    }

    // MARK: The end

    /// Goes on without chance events until nothing moves any more; then everything must have ended.
    private mutating func settle() throws {
        for _ in 0..<20_000 {
            step += 1
            if !tasks.isEmpty || !records.isEmpty {
                try doTask()
            } else if !awake.isEmpty {
                try pull()
            } else if !flights.isEmpty {
                complete(upTo: 8, verdict: one(in: 4) ? .unknown : .delivered)
            } else if let deadline = engine.deadline {
                advance(deadline - min(deadline, now.uptimeMilliseconds))
            } else {
                return try judge()
            }
            try collect()
        }
        try require(false, "it does not come to rest")
    }

    private func judge() throws {
        try require(disk.unended.isEmpty, "nothing moves, and these have not ended: \(disk.unended)")
        let rest = DeliveryEngine.Load(
            messages: 0, recipients: 0, pagesInLine: 0, inFlight: 0, unrecorded: 0, changes: engine.load.changes)
        try require(engine.load == rest, "at rest with \(engine.load)")
        for (id, message) in disk.messages {
            let sum = message.counts.values.reduce(0, +)
            try require(sum == message.recipients.count, "\(sum) outcomes of message \(id)")
        }
    }

    private func require(_ isTrue: Bool, _ what: @autoclosure () -> String) throws {
        if !isTrue { throw Violation(seed: seed, step: step, what: what()) }
    }
}
