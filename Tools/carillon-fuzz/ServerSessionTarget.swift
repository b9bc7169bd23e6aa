import CarillonCore
import CarillonSession
import CarillonWire

/// Feeds the bytes of a client to the server's session, with a caller that answers, refuses or delays.
///
/// Byte 0: what the caller does. Byte 1: how the stream is cut. Then the stream.
enum ServerSessionTarget {
    static func run(_ choices: inout Choices) {
        let behaviour = CallerBehaviour(rawValue: choices.byte())
        let seed = choices.byte()
        let stream = choices.rest()
        var caller = ServerCaller(behaviour, seed: seed)
        let cut = caller.run(stream)
        guard seed != 0, behaviour.isDisjoint(with: [.timePasses, .drains, .delaysAnswers]) else { return }
        // The pieces in which the network delivers a stream must not matter.
        caller = ServerCaller(behaviour, seed: 0)
        let whole = caller.run(stream)
        demand(cut.sent == whole.sent, "pieces change what the server sends")
        demand(cut.requests == whole.requests, "pieces change which requests come out")
    }

    struct CallerBehaviour: OptionSet {
        let rawValue: UInt8
        static let knowsClient = CallerBehaviour(rawValue: 1)
        static let refusesKeys = CallerBehaviour(rawValue: 2)
        static let failsRequests = CallerBehaviour(rawValue: 4)
        static let delaysAnswers = CallerBehaviour(rawValue: 8)
        static let timePasses = CallerBehaviour(rawValue: 16)
        static let drains = CallerBehaviour(rawValue: 32)
    }
}

/// The part of a server's connection handler, and the checks of every step of the session.
private struct ServerCaller: ~Copyable {
    private let behaviour: ServerSessionTarget.CallerBehaviour
    private var dice: Dice
    private var session: ServerSession
    private var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptimeMilliseconds: 1_000)
    private var delayed: [(request: Request, id: UInt64)] = []
    private var sent: [UInt8] = []
    private var requests: [Request] = []
    /// The events that each subscription may carry, and those that it has carried.
    private var credits: [UInt64: UInt64] = [:]
    private var events: [UInt64: UInt64] = [:]

    /// More bytes than an error or answer of the session itself: a text of 512 bytes, names, header.
    private static let replyLimit = 2_048
    private static let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.requestsInFlight = 16
        limits.bytesInFlight = 65_536
        limits.errorsAtOnce = 50
        return limits
    }()
    private static let principal = Principal(name: "fuzz", grants: [Grant(app: nil, roles: [.register, .send])])

    init(_ behaviour: ServerSessionTarget.CallerBehaviour, seed: UInt8) {
        self.behaviour = behaviour
        dice = Dice(seed: seed)
        let limits = Self.limits
        let welcome = Welcome(
            software: "carillon/fuzz",
            epoch: .zero,
            clock: .zero,
            frameLimit: limits.frameBytes,
            inFlightLimit: limits.requestsInFlight,
            batchLimit: 1_000,
            keepaliveMilliseconds: limits.keepaliveMilliseconds,
            pingIntervalMilliseconds: limits.pingIntervalMilliseconds,
            idempotencyWindowSeconds: 86_400,
            isAuthenticated: false,
            opcodes: Opcode.served.map { Welcome.Layouts(opcode: $0) }
        )
        let principal = behaviour.contains(.knowsClient) ? Self.principal : nil
        session = ServerSession(limits: limits, welcome: welcome, now: 1_000)
        session.transportReady(principal: principal, at: 1_000)
    }

    mutating func run(_ stream: [UInt8]) -> (sent: [UInt8], requests: [Request]) {
        var unread: [UInt8] = []
        var offset = 0
        while offset < stream.count {
            let count = dice.piece(of: stream.count - offset)
            unread += stream[offset..<offset + count]
            offset += count
            read(&unread)
            betweenPieces()
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
            demand(session.requestsInFlight < Int(Self.limits.requestsInFlight), "reads on with a full window")
            let had = unread.count
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now) }
            demand((0...had).contains(consumed), "\(consumed) of \(had) bytes consumed")
            demand(session.output.bytes.count <= Self.replyLimit, "a reply of \(session.output.bytes.count) bytes")
            unread.removeFirst(consumed)
            collect()
            switch step {
            case .needMore:
                demand(consumed == 0, "wants more and has consumed")
                return
            case .proceed: demand(consumed > 0, "goes on without consuming")
            case .authenticate(_, let id):
                session.authenticated(as: behaviour.contains(.refusesKeys) ? nil : Self.principal, id: id)
                collect()
            case .run(let request, let id, _): handOn(request, id)
            case .pointRead(let read, let app, let id, _):
                handOn(Self.request(read, app), id)
                readBatch(.pointReads(read.opcode, of: app), of: app, &unread)
            case .change(let change, let app, let id, _):
                handOn(change, id)
                readBatch(.changes(of: app), of: app, &unread)
            case .close: demand(session.isClosed, "wants to close and is not closed")
            }
        }
    }

    /// Reads what continues a batch, up to 8 requests, and runs it.
    private mutating func readBatch(_ batch: ServerSession.OpenBatch, of app: AppID, _ unread: inout [UInt8]) {
        var requests: [(request: ServerSession.BatchStep, id: UInt64)] = []
        reading: while requests.count < 8 {
            let had = unread.count
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now, continuing: batch) }
            demand((0...had).contains(consumed), "\(consumed) of \(had) bytes consumed")
            demand(session.output.bytes.isEmpty, "writes while a batch is open")
            switch step {
            case .pointRead(_, let id, _), .change(_, let id, _): requests.append((step, id))
            case .endOfBatch:
                demand(consumed == 0, "ends a batch and has consumed")
                break reading
            }
            unread.removeFirst(consumed)
        }
        for (step, id) in requests {
            switch step {
            case .pointRead(let read, _, _): handOn(Self.request(read, app), id)
            case .change(let change, _, _): handOn(change, id)
            case .endOfBatch: break
            }
        }
    }

    private mutating func handOn(_ change: Change, _ id: UInt64) {
        let request = Self.request(change)
        demand(request != nil, "no request is that change alone")
        if let request { handOn(request, id) }
    }

    private static func request(_ read: PointRead, _ app: AppID) -> Request {
        switch read {
        case .device(let device): .lookup(Lookup(app: app, device: device))
        case .status(let message): .messageStatus(MessageQuery(app: app, id: message))
        }
    }

    private static func request(_ change: Change) -> Request? {
        switch change {
        case .register(let it, _): .register(it)
        case .unregister(let device, let app, let at, _): .unregister(Unregistration(app: app, device: device, at: at))
        case .update(let device, let app, let update):
            .updateDevice(DeviceChange(app: app, device: device, update: update))
        case .restore(let device, let app, _): .restore(DeviceRestoration(app: app, device: device))
        case .join(let it, _): .join(it)
        case .leave(let it): .leave(it)
        case .subscribe(let it): .subscribe(it)
        case .unsubscribe(let it): .unsubscribe(it)
        case .mute(let group, let app, let isMuted): .updateGroup(GroupUpdate(app: app, group: group, isMuted: isMuted))
        default: nil
        }
    }

    private mutating func handOn(_ request: Request, _ id: UInt64) {
        RoundTrip.check(request)
        requests.append(request)
        switch request {
        case .subscribeEvents(let it): credits[id] = it.credit
        case .eventCredit(let it): credits[it.subscription, default: 0].raise(to: it.credit)
        default: break
        }
        if behaviour.contains(.delaysAnswers) && dice.roll(4) != 0 {
            delayed.append((request, id))
        } else {
            answer(request, id)
        }
    }

    private mutating func answer(_ request: Request, _ id: UInt64) {
        if behaviour.contains(.failsRequests) && id.isMultiple(of: 2) {
            session.fail(ErrorReply(.notFound, message: "no"), id: id, at: now.uptimeMilliseconds)
        } else {
            session.respond(Answers.of(request), id: id)
        }
        session.respond(.unregistered(nil), id: id)  // A second answer must say nothing.
        collect()
    }

    private mutating func answerDelayed() {
        while let (request, id) = delayed.popLast() { answer(request, id) }
    }

    private mutating func betweenPieces() {
        if behaviour.contains(.delaysAnswers), !delayed.isEmpty, dice.roll(3) == 0 {
            let (request, id) = delayed.remove(at: dice.roll(delayed.count))
            answer(request, id)
        }
        if behaviour.contains(.delaysAnswers) { sendEvents() }
        if behaviour.contains(.timePasses) {
            now.uptimeMilliseconds += UInt64(dice.roll(6_000))
            if let deadline = session.deadline, deadline <= now.uptimeMilliseconds {
                session.timerFired(at: now.uptimeMilliseconds)
            }
        }
        if behaviour.contains(.drains) && dice.roll(8) == 0 {
            session.beginDraining(at: now.uptimeMilliseconds, reconnectAfter: 5)
            now.uptimeMilliseconds += 1_000
            session.timerFired(at: now.uptimeMilliseconds)
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
        let more = Preface.client + [UInt8](repeating: 0, count: 64)
        let (consumed, step) = more.withUnsafeBytes { session.received($0, at: now) }
        demand(consumed == more.count && step == .close, "reads after the end")
        session.timerFired(at: .max / 2)
        session.beginDraining(at: .max / 2, reconnectAfter: 1)
        demand(session.isClosed && session.output.bytes.isEmpty && session.deadline == nil, "lives on after the end")
    }
}

extension UInt64 {
    fileprivate mutating func raise(to other: UInt64) {
        self = Swift.max(self, other)
    }
}

/// An answer that fits each request.
private enum Answers {
    static func of(_ request: Request) -> Response {
        switch request {
        case .hello, .authenticate: .unregistered(nil)
        case .register: .registered(DeviceID(rawValue: 7), RegistrationResult(rawValue: 1))
        case .registerBatch(let items):
            .registeredBatch(items.map { _ in .registered(DeviceID(rawValue: 7), RegistrationResult(rawValue: 1)) })
        case .unregister: .unregistered(DeviceID(rawValue: 7))
        case .lookup: .unregistered(nil)
        case .updateDevice: .updated(DeviceID(rawValue: 7))
        case .memberships:
            .memberships(
                Memberships(device: DeviceID(rawValue: 7), isMuted: false, groups: [], topics: [], next: nil))
        case .join(let join):
            .joined(Joined(joined: 0, announcement: nil, unknown: join.devices.indices.map { UInt32($0) }))
        case .leave(let leave): .left(MembershipChange(changed: UInt32(leave.devices.count), unknown: []))
        case .switchGroup:
            .switched(Switched(device: DeviceID(rawValue: 7), changes: [.left, .joined], announcement: nil))
        case .groupDevices(let query): .groupDevices(page(query.limit))
        case .groups: .groups(NamedSetPage(next: nil, rows: []))
        case .updateGroup: .groupUpdated(devices: 1)
        case .groupTopics: .groupTopics(TopicPage(next: nil, topics: []))
        case .subscribe: .subscribed(MembershipChange(changed: 1, unknown: []))
        case .unsubscribe: .unsubscribed(MembershipChange(changed: 1, unknown: []))
        case .topics: .topics(NamedSetPage(next: nil, rows: []))
        case .topicDevices(let query): .topicDevices(page(query.limit))
        // An explanation may be longer than what the client takes.
        case .explain:
            .explained(Explanation(condition: "all", devices: 1, terms: []))
        case .send:
            .accepted(Acceptance(id: MessageID(rawValue: 9), isDuplicate: false, total: 1, ended: 0))
        case .messageStatus:
            .status(MessageStatus(state: .waiting, acceptedAt: .zero, finishedAt: .zero, total: 0, outcomes: [:]))
        case .messageOutcomes: .outcomes(RecipientOutcomePage(next: 0, recipients: []))
        case .restore: .restored(DeviceID(rawValue: 7))
        case .quarantine(let query): .quarantine(page(query.limit))
        case .messages: .messages(MessagePage(next: 0, messages: []))
        case .updateMessage: .messageUpdated(.paused)
        case .resend: .resent(Acceptance(id: MessageID(rawValue: 9), isDuplicate: false, total: 1, ended: 0))
        case .subscribeEvents: .eventsSubscribed(after: 5)
        case .eventCredit: .eventsCredited
        case .unsubscribeEvents: .eventsUnsubscribed
        case .receipts(let batch):
            .receiptsCounted(ReceiptCount(counted: 0, unknown: batch.receipts.indices.map { UInt32($0) }))
        case .receiptDevices(let query): .receiptDevices(page(query.limit))
        case .statistics(let query): .statistics(statistics(query.limit))
        case .devices(let query): .devices(DeviceRecordPage(next: UInt64(query.limit), devices: []))
        }
    }

    /// As many messages and apps as were asked for.
    private static func statistics(_ rows: UInt32) -> ServerStatistics {
        var statistics = ServerStatistics(at: .zero, startedAt: .zero, software: "fuzz/1")
        guard let app = AppID("com.example.game") else { return statistics }
        statistics.sending = (0..<rows).map {
            ServerStatistics.SendingMessage(
                id: MessageID(rawValue: UInt64($0)), app: app, lane: .bulk, acceptedAt: .zero, total: 9, ended: 1,
                inFlight: 2, rate: 3)
        }
        let counts = (0..<rows).map {
            ServerStatistics.AppCount(app: app, devices: UInt64($0), quarantined: 0, groups: 1, topics: 2)
        }
        statistics.registryCounts = ServerStatistics.RegistryCounts(at: .zero, apps: counts)
        return statistics
    }

    /// As many rows as were asked for.
    private static func page(_ rows: UInt32) -> DevicePage {
        DevicePage(next: 1, devices: (0..<rows).map { DeviceID(rawValue: UInt64($0)) })
    }
}
