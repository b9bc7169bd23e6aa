import CarillonCore
import CarillonSession
import CarillonWire

/// The client's session, which gets the bytes of a hostile server and makes as many requests as it may.
///
/// Byte 0: the behaviour of the connection. Byte 1: how the stream is cut. Then the stream.
enum ClientSessionTarget {
    static func run(_ input: inout FuzzInput) {
        let behaviour = Behaviour(rawValue: input.byte())
        var connection = FuzzedClientConnection(behaviour, seed: input.byte())
        connection.run(input.rest())
    }

    struct Behaviour: OptionSet {
        let rawValue: UInt8
        static let hasKey = Behaviour(rawValue: 1)
        static let makesRequests = Behaviour(rawValue: 2)
        static let abandons = Behaviour(rawValue: 4)
        static let pings = Behaviour(rawValue: 8)
        static let timePasses = Behaviour(rawValue: 16)
        static let finishes = Behaviour(rawValue: 32)
    }
}

/// A client's connection around the session, with the invariants of each step.
private struct FuzzedClientConnection {
    private let behaviour: ClientSessionTarget.Behaviour
    private var random: StreamSplitter
    private var session: ClientSession
    private var now: Uptime = 1_000
    /// The requests that were sent and have no result yet.
    private var waiting: Set<UInt64> = []
    private var requestCount = 0
    private var subscriptions: Set<UInt64> = []
    private var eventCount: UInt64 = 0
    private var sessionEnd: SessionEnd?

    /// The most bytes that the session sends by itself: the answer to a ping, AUTH.
    private static let maximumOutputBytes = 1_024
    private static let app = AppID("com.example.game")
    private static let maximumRequests = 40
    private static let credit: UInt64 = 3

    init(_ behaviour: ClientSessionTarget.Behaviour, seed: UInt8) {
        self.behaviour = behaviour
        random = StreamSplitter(seed: seed)
        let key = behaviour.contains(.hasKey) ? Array("key".utf8) : nil
        session = ClientSession(options: ClientSessionOptions(software: "fuzz/1", key: key), now: now)
        _ = session.output.take()
    }

    mutating func run(_ stream: [UInt8]) {
        var unread: [UInt8] = []
        var offset = 0
        while offset < stream.count, sessionEnd == nil {
            let count = random.piece(of: stream.count - offset)
            unread += stream[offset..<offset + count]
            offset += count
            read(&unread)
            actBetweenPieces()
        }
        if sessionEnd == nil {
            read(&unread)
            if sessionEnd == nil { end(session.connectionClosed()) }
        }
        checkClosed()
    }

    private mutating func read(_ unread: inout [UInt8]) {
        while sessionEnd == nil {
            let unreadCount = unread.count
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now) }
            demand((0...unreadCount).contains(consumed), "\(consumed) of \(unreadCount) bytes consumed")
            demand(session.output.bytes.count <= Self.maximumOutputBytes, "\(session.output.bytes.count) bytes at once")
            unread.removeFirst(consumed)
            _ = session.output.take()
            if step == .needMore {
                demand(consumed == 0 || session.isClosed, "wants more and has consumed")
                return
            }
            handle(step)
            makeRequest()
        }
    }

    private mutating func handle(_ step: ClientStep) {
        switch step {
        case .needMore, .proceed, .pingAnswered, .position: break
        case .event(let notice, let id): eventReceived(notice, of: id)
        case .opened: demand(session.helloAnswer != nil, "open without an answer to HELLO")
        case .answered(let answer, let id):
            RoundTrip.check(answer)
            requestEnded(id)
        case .refused(let error, let id):
            RoundTrip.check(error)
            requestEnded(id)
        case .unreadable(_, let id): requestEnded(id)
        case .goingAway(_, let ids): for id in ids { requestEnded(id) }
        case .close(let sessionEnd): end(sessionEnd)
        }
    }

    private mutating func eventReceived(_ notice: EventNotice, of subscription: UInt64) {
        RoundTrip.check(notice)
        eventCount += 1
        demand(subscriptions.contains(subscription), "an event of \(subscription), which is not a subscription")
        demand(eventCount <= UInt64(subscriptions.count) * Self.credit, "more events than credit")
    }

    private mutating func requestEnded(_ id: UInt64) {
        demand(waiting.remove(id) != nil, "request \(id) has a result, and no caller waits for it")
    }

    private mutating func end(_ sessionEnd: SessionEnd) {
        self.sessionEnd = sessionEnd
        demand(session.isClosed, "the end of a session that is not closed")
        demand(Set(sessionEnd.unanswered) == waiting, "waits for \(waiting), unanswered \(sessionEnd.unanswered)")
        demand(sessionEnd.named.map { waiting.contains($0) } ?? true, "an error names a request that is not waiting")
    }

    private mutating func makeRequest() {
        guard behaviour.contains(.makesRequests), sessionEnd == nil, requestCount < Self.maximumRequests,
            let app = Self.app
        else { return }
        let requests: [any Operation] = [
            LookupRequest(app: app, device: .id(DeviceID(rawValue: 1))),
            MessageStatusRequest(app: app, id: MessageID(rawValue: 1)),
            MessageOutcomesRequest(app: app, id: MessageID(rawValue: 1), limit: 10),
            UnregisterRequest(app: app, device: .id(DeviceID(rawValue: 1))),
            SubscribeEventsRequest(credit: Self.credit),
        ]
        let deadline = requestCount.isMultiple(of: 3) ? now + 2_000 : nil
        requestCount += 1
        let couldSubmit = session.canSubmit
        let request = requests[requestCount % requests.count]
        guard case .sent(let id) = session.submit(request, deadline: deadline, at: now) else { return }
        if request is SubscribeEventsRequest { subscriptions.insert(id) }
        demand(couldSubmit, "sent although it could not submit")
        demand(waiting.insert(id).inserted, "request id \(id) twice")
        _ = session.output.take()
    }

    private mutating func actBetweenPieces() {
        guard sessionEnd == nil else { return }
        if behaviour.contains(.abandons), random.next(below: 2) == 0, let id = waiting.min() {
            session.abandon(id, at: now)
            waiting.remove(id)
        }
        if behaviour.contains(.pings) { _ = session.sendPing(at: now) }
        if behaviour.contains(.timePasses) { passTime() }
        if sessionEnd == nil, behaviour.contains(.finishes), random.next(below: 8) == 0,
            let sessionEnd = session.closeWhenAnswered()
        {
            end(sessionEnd)
        }
        _ = session.output.take()
    }

    private mutating func passTime() {
        now += UInt64(random.next(below: 6_000))
        guard let deadline = session.deadline, deadline <= now else { return }
        let overdue = session.timerFired(at: now)
        for id in overdue.expired { requestEnded(id) }
        if let sessionEnd = overdue.sessionEnd { end(sessionEnd) }
    }

    private mutating func checkClosed() {
        _ = session.output.take()
        let more = [UInt8](repeating: 0xC3, count: 64)
        let (consumed, step) = more.withUnsafeBytes { session.received($0, at: now) }
        demand(consumed == more.count && step == .needMore, "reads after the end")
        demand(session.timerFired(at: Uptime(milliseconds: .max / 2)) == TimerResult(), "time passes after the end")
        demand(session.output.bytes.isEmpty && session.deadline == nil, "lives on after the end")
    }
}
