import CarillonCore
import CarillonWire

/// A generator of random requests. The same plan and seed give the same requests.
struct Workload {
    /// The common settings of all parts of one load.
    struct Plan: Sendable {
        var population: Population
        var mix: Mix
        var keys: KeyDistribution
        /// The approximate size of a push's payload, in bytes.
        var payloadBytes: Int
        /// The payload key of the marker from which the simulator reports arrivals.
        var markerKey: String
        /// The number of the run. It makes the idempotency keys differ from the keys of other runs with the same seed,
        /// which send other messages.
        var runNumber: UInt64
    }

    private let plan: Plan
    private var generator: SeededGenerator
    private let deviceChooser: KeyChooser
    private let groupChooser: KeyChooser
    private let topicChooser: KeyChooser
    private let payloadStart: [UInt8]
    private var nextNewDevice: Int
    /// The distance to the number of the device after it.
    private let stride: Int

    /// Makes one of the generators of a plan.
    ///
    /// - Parameters:
    ///   - part: the number of the generator, from 0.
    ///   - parts: the number of generators that run in parallel.
    init(_ plan: Plan, seed: UInt64, part: Int, of parts: Int) {
        self.plan = plan
        generator = SeededGenerator(seed: seed &+ UInt64(part) &* 0x9E37_79B9)
        deviceChooser = KeyChooser(count: plan.population.deviceCount, plan.keys)
        groupChooser = KeyChooser(count: plan.population.groupCount, plan.keys)
        topicChooser = KeyChooser(count: plan.population.topicCount, plan.keys)
        let filler = max(0, plan.payloadBytes - 40 - plan.markerKey.utf8.count)
        let text = String(repeating: "x", count: filler)
        payloadStart = Array("{\"aps\":{\"alert\":\"\(text)\"},\"\(plan.markerKey)\":".utf8)
        nextNewDevice = plan.population.firstNewDevice + part
        stride = parts
    }

    mutating func nextOperation() -> LoadOperation { plan.mix.next(&generator) }

    /// Returns the next request of the operation. `marker` is the marker of the push of a send, and `now` the time by
    /// the wall clock.
    mutating func request(_ operation: LoadOperation, marker: UInt64, now: Timestamp) -> AnyRequest {
        let population = plan.population
        let app = population.app
        switch operation {
        case .lookup:
            return AnyRequest(
                LookupRequest(app: app, device: .address(population.address(ofDevice: deviceChooser.next(&generator)))))
        case .register:
            defer { nextNewDevice += stride }
            return AnyRequest(Registration(app: app, address: population.address(ofDevice: nextNewDevice), seenAt: now))
        case .subscribe:
            let topic = population.subscribedTopic(topicChooser.next(&generator))
            let device = DeviceReference.address(population.address(ofDevice: deviceChooser.next(&generator)))
            return AnyRequest(SubscribeRequest(TopicSubscription(app: app, topics: [topic], devices: [device])))
        case .sendToken:
            let device = DeviceReference.address(population.address(ofDevice: deviceChooser.next(&generator)))
            return send(to: .devices([device]), marker)
        case .sendGroup:
            return send(to: .groups([population.group(groupChooser.next(&generator))]), marker)
        case .sendTopic:
            return send(to: .topic(population.topic(topicChooser.next(&generator))), marker, lane: .bulk)
        }
    }

    private mutating func send(to audience: Audience, _ marker: UInt64, lane: Lane = .interactive) -> AnyRequest {
        var payload = payloadStart
        payload.append(contentsOf: String(marker).utf8)
        payload.append(UInt8(ascii: "}"))
        let content = MessageContent(app: plan.population.app, pushType: .alert, payload: payload)
        // Like CarillonClient: every message has an idempotency key.
        let key = UUIDBytes(high: generator.next() ^ plan.runNumber, low: generator.next() | 1)
        return AnyRequest(Message(idempotencyKey: key, content: content, audience: audience, lane: lane))
    }
}

/// The marker of a push: the time at which its request was due, and the operation. So the arrival gives the latency.
/// The number 0 marks a request that is not measured.
struct PushMarker: Equatable {
    var operation: LoadOperation
    /// The microseconds from the start of the load until the request was due.
    var dueMicroseconds: UInt64

    init(operation: LoadOperation, dueMicroseconds: UInt64) {
        self.operation = operation
        self.dueMicroseconds = dueMicroseconds
    }

    /// Parses the number of a push; nil if the push is not measured.
    init?(number: UInt64) {
        guard number > 0, let operation = LoadOperation(rawValue: UInt8(number & 7)) else { return nil }
        self.init(operation: operation, dueMicroseconds: number >> 3 - 1)
    }

    /// Returns a new payload key for markers. It is random, so that late pushes of an earlier run are not counted.
    static func newKey() -> String { "load\(UInt32.random(in: 0...UInt32.max))" }

    var number: UInt64 { (dueMicroseconds + 1) << 3 | UInt64(operation.rawValue) }
}
