import CarillonCore
import CarillonWire

/// What is asked next: makes requests by chance, the same ones at every run with the same seed.
struct Workload {
    /// What all parts of one load have in common.
    struct Plan: Sendable {
        var population: Population
        var mix: Mix
        var keys: KeyDistribution
        /// Bytes of a push's payload, about.
        var payloadBytes: Int
        /// The key in payloads under which the simulator finds when a push was due.
        var markKey: String
    }

    private let plan: Plan
    private var generator: SeededGenerator
    private let devices: KeyChooser
    private let groups: KeyChooser
    private let topics: KeyChooser
    private let payloadStart: [UInt8]
    /// The next device that is registered, and how far it is to the one after.
    private var newDevice: Int
    private let stride: Int

    /// The `part`th of `parts` loads that run side by side.
    init(_ plan: Plan, seed: UInt64, part: Int, of parts: Int) {
        self.plan = plan
        generator = SeededGenerator(seed: seed &+ UInt64(part) &* 0x9E37_79B9)
        devices = KeyChooser(count: plan.population.devices, plan.keys)
        groups = KeyChooser(count: plan.population.groups, plan.keys)
        topics = KeyChooser(count: plan.population.topics, plan.keys)
        let filler = max(0, plan.payloadBytes - 40 - plan.markKey.utf8.count)
        let text = String(repeating: "x", count: filler)
        payloadStart = Array("{\"aps\":{\"alert\":\"\(text)\"},\"\(plan.markKey)\":".utf8)
        newDevice = plan.population.firstNewDevice + part
        stride = parts
    }

    /// The next operation.
    mutating func nextOperation() -> LoadOperation { plan.mix.next(&generator) }

    /// A request for it; `mark` is what the push of a send bears, `now` the wall clock's time.
    mutating func request(_ operation: LoadOperation, mark: UInt64, now: Timestamp) -> AnyRequest {
        let population = plan.population
        let app = population.app
        switch operation {
        case .lookup:
            return AnyRequest(Lookup(app: app, device: .address(population.address(devices.next(&generator)))))
        case .register:
            defer { newDevice += stride }
            return AnyRequest(Registration(app: app, address: population.address(newDevice), seenAt: now))
        case .subscribe:
            let topic = population.wishedTopic(topics.next(&generator))
            let device = DeviceReference.address(population.address(devices.next(&generator)))
            return AnyRequest(Subscribe(Subscription(app: app, topics: [topic], devices: [device])))
        case .sendToken:
            let device = DeviceReference.address(population.address(devices.next(&generator)))
            return send(to: .devices([device]), mark)
        case .sendGroup:
            return send(to: .groups([population.group(groups.next(&generator))]), mark)
        case .sendTopic:
            return send(to: .topic(population.topic(topics.next(&generator))), mark, lane: .bulk)
        }
    }

    private mutating func send(to audience: Audience, _ mark: UInt64, lane: Lane = .interactive) -> AnyRequest {
        var payload = payloadStart
        payload.append(contentsOf: String(mark).utf8)
        payload.append(UInt8(ascii: "}"))
        let content = MessageContent(app: plan.population.app, pushType: .alert, payload: payload)
        // As CarillonClient does: every message has an idempotency key.
        let key = UUIDBytes(high: generator.next(), low: generator.next() | 1)
        return AnyRequest(Message(key: key, content: content, audience: audience, lane: lane))
    }
}

/// The number that a push bears, from which its arrival tells how long it was under way: when its request was due and
/// what it was. 0 = of a request that does not count.
struct PushMark: Equatable {
    var operation: LoadOperation
    /// Microseconds from the beginning of the load.
    var due: UInt64

    init(operation: LoadOperation, due: UInt64) {
        self.operation = operation
        self.due = due
    }

    /// Reads a number that a push bore.
    init?(number: UInt64) {
        guard number > 0, let operation = LoadOperation(rawValue: UInt8(number & 7)) else { return nil }
        self.init(operation: operation, due: number >> 3 - 1)
    }

    var number: UInt64 { (due + 1) << 3 | UInt64(operation.rawValue) }
}
