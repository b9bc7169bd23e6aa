import CarillonCore
import CarillonSession
import CarillonWire
import CarillonWireTestKit

/// The server's session, which gets the bytes of a hostile client. Its requests are answered, refused or delayed.
///
/// Byte 0: the behaviour of the connection. Byte 1: how the stream is cut. Then the stream.
enum ServerSessionTarget {
    static func run(_ input: inout FuzzInput) {
        let behaviour = Behaviour(rawValue: input.byte())
        let seed = input.byte()
        let stream = input.rest()
        var connection = FuzzedServerConnection(behaviour, seed: seed)
        let cut = connection.run(stream)
        guard seed != 0, behaviour.isDisjoint(with: [.timePasses, .drains, .delaysAnswers]) else { return }
        // The pieces in which the network delivers a stream must not matter.
        connection = FuzzedServerConnection(behaviour, seed: 0)
        let whole = connection.run(stream)
        demand(cut.sent == whole.sent, "pieces change what the server sends")
        demand(cut.requests == whole.requests, "pieces change which requests come out")
    }

    struct Behaviour: OptionSet {
        let rawValue: UInt8
        static let knowsClient = Behaviour(rawValue: 1)
        static let refusesKeys = Behaviour(rawValue: 2)
        static let failsRequests = Behaviour(rawValue: 4)
        static let delaysAnswers = Behaviour(rawValue: 8)
        static let timePasses = Behaviour(rawValue: 16)
        static let drains = Behaviour(rawValue: 32)
    }
}

/// A server's connection around the session, with the invariants of each step.
private struct FuzzedServerConnection: ~Copyable {
    private let behaviour: ServerSessionTarget.Behaviour
    private var random: StreamSplitter
    private var session: ServerSession
    private var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)
    private var delayed: [(request: AnyRequest, id: UInt64)] = []
    private var sent: [UInt8] = []
    private var requests: [AnyRequest] = []
    /// The number of events that each subscription may carry, and the number that it has carried.
    private var credits: [UInt64: UInt64] = [:]
    private var events: [UInt64: UInt64] = [:]

    /// More bytes than an error or answer of the session itself has: a text of 512 bytes, names, header.
    private static let maximumOutputBytes = 2_048
    private static let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.outstandingRequests = 16
        limits.outstandingBytes = 65_536
        limits.errorsAtOnce = 50
        return limits
    }()
    private static let principal = Principal(name: "fuzz", grants: [Grant(app: nil, roles: [.register, .send])])

    init(_ behaviour: ServerSessionTarget.Behaviour, seed: UInt8) {
        self.behaviour = behaviour
        random = StreamSplitter(seed: seed)
        let limits = Self.limits
        let helloAnswer = HelloAnswer(
            software: "carillon/fuzz",
            epoch: .zero,
            clock: .zero,
            limits: HelloAnswer.AnnouncedLimits(limits),
            isAuthenticated: false,
            opcodes: Opcode.served.map { HelloAnswer.AnnouncedLayouts(opcode: $0) }
        )
        let principal = behaviour.contains(.knowsClient) ? Self.principal : nil
        session = ServerSession(limits: limits, helloAnswer: helloAnswer, now: 1_000)
        session.transportReady(principal: principal, at: 1_000)
    }

    mutating func run(_ stream: [UInt8]) -> (sent: [UInt8], requests: [AnyRequest]) {
        var unread: [UInt8] = []
        var offset = 0
        while offset < stream.count {
            let count = random.piece(of: stream.count - offset)
            unread += stream[offset..<offset + count]
            offset += count
            read(&unread)
            actBetweenPieces()
            read(&unread)
        }
        answerDelayed()
        read(&unread)
        session.inputClosed()
        answerDelayed()
        collect()
        if session.isClosed { checkClosed() }
        return (sent, requests)
    }

    private mutating func read(_ unread: inout [UInt8]) {
        while session.mayRead {
            demand(
                session.outstandingCount < Int(Self.limits.outstandingRequests),
                "reads on with too many requests outstanding")
            let unreadCount = unread.count
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now) }
            demand((0...unreadCount).contains(consumed), "\(consumed) of \(unreadCount) bytes consumed")
            demand(
                session.output.bytes.count <= Self.maximumOutputBytes, "\(session.output.bytes.count) bytes at once")
            unread.removeFirst(consumed)
            collect()
            switch step {
            case .needMore:
                demand(consumed == 0, "wants more and has consumed")
                return
            case .proceed: demand(consumed > 0, "goes on without consuming")
            case .authenticate(_, let id):
                session.clientAuthenticated(as: behaviour.contains(.refusesKeys) ? nil : Self.principal, id: id)
                collect()
            case .pointRead(let read, let app, let context):
                requestReceived(AnyRequest(askingFor: read, of: app), id: context.id)
                readPipelined(.pointReads(context.head.opcode, of: app), of: app, unread: &unread)
            case .change(let change, let app, let context):
                requestReceived(Self.request(for: change, opcode: context.head.opcode), id: context.id)
                readPipelined(.changes(of: app), of: app, unread: &unread)
            case .longRead(let read, let context): requestReceived(AnyRequest(read.operation), id: context.id)
            case .statistics(let query, let context): requestReceived(AnyRequest(query), id: context.id)
            case .dryRun(let message, let context): requestReceived(AnyRequest(message), id: context.id)
            case .individual(let request, let context): requestReceived(AnyRequest(request.operation), id: context.id)
            case .subscribeEvents(let request, let context):
                credits[context.id] = request.credit
                requestReceived(AnyRequest(request), id: context.id)
            case .eventCredit(let request, let context):
                credits[request.subscription] = max(request.totalCredit, credits[request.subscription, default: 0])
                requestReceived(AnyRequest(request), id: context.id)
            case .unsubscribeEvents(let request, let id): requestReceived(AnyRequest(request), id: id)
            case .awaitPosition(let position): demand(position > 0, "waits for the beginning of the log")
            case .close: demand(session.isClosed, "wants to close and is not closed")
            }
        }
    }

    /// Reads the frames that continue a pipeline, up to 8 requests, and runs them.
    private mutating func readPipelined(_ pipeline: ServerSession.Pipeline, of app: AppID, unread: inout [UInt8]) {
        var pipelined: [(request: AnyRequest, id: UInt64)] = []
        reading: while pipelined.count < 8 {
            let unreadCount = unread.count
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now, continuing: pipeline) }
            demand((0...unreadCount).contains(consumed), "\(consumed) of \(unreadCount) bytes consumed")
            demand(session.output.bytes.isEmpty, "writes while requests are pipelined")
            switch step {
            case .pointRead(let read, let head): pipelined.append((AnyRequest(askingFor: read, of: app), head.id))
            case .change(let change, let head):
                pipelined.append((Self.request(for: change, opcode: head.opcode), head.id))
            case .endOfPipeline:
                demand(consumed == 0, "ends a pipeline and has consumed")
                break reading
            }
            unread.removeFirst(consumed)
        }
        for (request, id) in pipelined { requestReceived(request, id: id) }
    }

    /// Returns the request that asks for a change.
    private static func request(for change: Change, opcode: Opcode) -> AnyRequest {
        let request = AnyRequest(askingFor: change)
        demand(request?.opcode == opcode, "a change that is more than a request, or of another opcode")
        return request ?? AnyRequest(HelloRequest(software: "none"))
    }

    private mutating func requestReceived(_ request: AnyRequest, id: UInt64) {
        RoundTrip.check(request)
        requests.append(request)
        if behaviour.contains(.delaysAnswers) && random.next(below: 4) != 0 {
            delayed.append((request, id))
        } else {
            answer(request, id: id)
        }
    }

    private mutating func answer(_ request: AnyRequest, id: UInt64) {
        let change = ChangeAnswer.unregistered(DeviceID(rawValue: 7))
        if behaviour.contains(.failsRequests) && id.isMultiple(of: 2) {
            session.fail(RequestError(.notFound, message: "no"), id: id, at: now.uptime)
        } else if request.tableRow.kind != .change || !session.answer(change, to: request.opcode, id: id) {
            session.answer(Answers.answer(to: request), id: id)
        }
        session.answer(Answers.small, id: id)  // A second answer must write nothing.
        collect()
    }

    private mutating func answerDelayed() {
        while let (request, id) = delayed.popLast() { answer(request, id: id) }
    }

    private mutating func actBetweenPieces() {
        if behaviour.contains(.delaysAnswers), !delayed.isEmpty, random.next(below: 3) == 0 {
            let (request, id) = delayed.remove(at: random.next(below: delayed.count))
            answer(request, id: id)
        }
        if behaviour.contains(.delaysAnswers) { sendEvents() }
        if behaviour.contains(.timePasses) {
            now.uptime += UInt64(random.next(below: 6_000))
            if let deadline = session.deadline, deadline <= now.uptime {
                session.timerFired(at: now.uptime)
            }
        }
        if behaviour.contains(.drains) && random.next(below: 8) == 0 {
            session.beginDraining(at: now.uptime, reconnectAfterMilliseconds: 5)
            now.uptime += 1_000
            session.timerFired(at: now.uptime)
        }
        collect()
    }

    private mutating func sendEvents() {
        for (id, credit) in credits where session.sendEvent(.gap(missed: 1..<9, at: now.wall), on: id) {
            events[id, default: 0] += 1
            demand(events[id, default: 0] <= credit, "more events than credit")
        }
    }

    private mutating func collect() {
        sent += session.output.take()
    }

    private mutating func checkClosed() {
        let more = Preface.clientBytes + [UInt8](repeating: 0, count: 64)
        let (consumed, step) = more.withUnsafeBytes { session.received($0, at: now) }
        demand(consumed == more.count && step == .close, "reads after the end")
        session.timerFired(at: Uptime(milliseconds: .max / 2))
        session.beginDraining(at: Uptime(milliseconds: .max / 2), reconnectAfterMilliseconds: 1)
        demand(session.isClosed && session.output.bytes.isEmpty && session.deadline == nil, "lives on after the end")
    }
}

/// The answers to requests, as long as these allow.
private enum Answers {
    static let small = EncodedAnswer(DeviceID(rawValue: 7), to: UnregisterRequest.self)

    static func answer(to request: AnyRequest) -> EncodedAnswer {
        switch request.operation {
        case let batch as RegisterBatchRequest:
            let result = RegisterBatchItemAnswer.registered(DeviceID(rawValue: 7), RegisterResultKind(rawValue: 1))
            return EncodedAnswer(batch.items.map { _ in result }, to: RegisterBatchRequest.self)
        case let query as GroupDevicesRequest: return EncodedAnswer(page(query.limit), to: GroupDevicesRequest.self)
        case let query as TopicDevicesRequest: return EncodedAnswer(page(query.limit), to: TopicDevicesRequest.self)
        case let query as QuarantineRequest: return EncodedAnswer(page(query.limit), to: QuarantineRequest.self)
        case let query as ReceiptDevicesRequest: return EncodedAnswer(page(query.limit), to: ReceiptDevicesRequest.self)
        case let query as StatisticsRequest: return EncodedAnswer(statistics(query.limit), to: StatisticsRequest.self)
        // An explanation may be longer than the client takes.
        case is ExplainRequest:
            let terms = (0..<64).map { Explanation.Term(set: String(repeating: "t", count: 100 + $0), devices: 1) }
            return EncodedAnswer(
                Explanation(condition: "all", devices: 1, terms: terms), to: ExplainRequest.self)
        case is SubscribeEventsRequest: return EncodedAnswer(5, to: SubscribeEventsRequest.self)
        default: return small
        }
    }

    /// Returns as many messages and apps as were asked for.
    private static func statistics(_ rows: UInt32) -> ServerStatistics {
        var statistics = ServerStatistics(at: .zero, startedAt: .zero, software: "fuzz/1")
        guard let app = AppID("com.example.game") else { return statistics }
        statistics.sending = (0..<rows).map {
            ServerStatistics.SendingMessage(
                id: MessageID(rawValue: UInt64($0)), app: app, lane: .bulk, acceptedAt: .zero, total: 9, ended: 1,
                inFlight: 2, rate: 3)
        }
        let counts = (0..<rows).map {
            ServerStatistics.AppCount(
                app: app, devices: UInt64($0), quarantined: 0, groups: 1, topics: 2,
                devicesByProvider: [.apns: UInt64($0), .fcm: 0, .web: 1])
        }
        statistics.registryCounts = ServerStatistics.RegistryCounts(at: .zero, apps: counts)
        return statistics
    }

    /// Returns as many rows as were asked for.
    private static func page(_ rows: UInt32) -> DeviceIDPage {
        DeviceIDPage(next: 1, devices: (0..<rows).map { DeviceID(rawValue: UInt64($0)) })
    }
}
