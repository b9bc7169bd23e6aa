package import CarillonCore
package import CarillonWire

/// The client's end of one connection: handshake, requests and answers (Protocol 2 to 6). It has no sockets and no
/// clock.
///
/// The caller sends what `output` collects, passes bytes and uptime in, and calls `timerFired` at
/// `deadline`. After its `SessionEnd` it sends what is left in `output` and closes; the session writes nothing more.
package struct ClientSession {
    /// The state of the connection (Protocol 5).
    enum Phase: Hashable {
        /// The phase in which bytes of the server's preface are expected. It leads to `hello` or `closed`.
        case preface
        /// The phase in which the answer to HELLO is expected. It leads to `auth`, `open` or `closed`.
        case hello
        /// The phase in which the answer to AUTH is expected. It leads to `open` or `closed`.
        case auth
        /// The phase in which requests may be sent. It leads to `closed`.
        case open
        /// The last phase.
        case closed
    }

    struct Outstanding: Hashable {
        var opcode: Opcode
        var deadline: Uptime?
        /// True if the caller waits no longer. The request leaves the window only when the server has answered.
        var isAbandoned = false
    }

    let options: ClientSessionOptions
    /// The server's answer to HELLO; nil until it has come.
    package internal(set) var helloAnswer: HelloAnswer?
    /// The client's name and grants by its key; nil until AUTH is answered, and if the client has a certificate.
    package internal(set) var identity: AuthenticateAnswer?
    /// The preface and the frames to send, in order.
    package var output = FrameWriter()

    var phase = Phase.preface
    var isVersionRefused = false
    var isGoingAway = false
    var isFinishing = false
    var lastID: UInt64 = 0
    var outstanding = AscendingTable<Outstanding>()
    var abandonedCount = 0
    /// The time at which `outstanding` was empty last, if it is not empty now.
    private(set) var waitingSince: Uptime = 0
    /// The time since which abandoned requests occupy all room; nil while there is room.
    var stuckSince: Uptime?
    /// True if the server has answered or refused a request, sent an event or answered a ping since the handshake.
    package internal(set) var hasWorked = false
    let startedAt: Uptime
    var readAt: Uptime
    var ping: (payload: UInt64, sentAt: Uptime)?
    var lastPingAt: Uptime?
    var serverPings: TokenBucket
    var subscriptions = EventSubscriptions()
    /// The time before which no request expires.
    var earliestExpiry = Uptime.max

    /// Makes the session of a new connection, with preface and HELLO in `output`.
    package init(options: ClientSessionOptions, now: Uptime) {
        self.options = options
        startedAt = now
        readAt = now
        serverPings = TokenBucket(capacity: 100, perSecond: 100, now: now)
        output.raw(Preface.client)
        let hello = HelloRequest(software: options.software, receiveLimit: options.receiveLimit)
        output.request(hello, id: nextID())
    }

    /// True if requests can be submitted now: the connection is open, does not drain, and the window has room.
    package var canSubmit: Bool { room > 0 }

    /// The number of requests that can be submitted now.
    package var room: Int {
        phase == .open && !isGoingAway && !isFinishing ? max(0, inFlightLimit - outstanding.count) : 0
    }

    /// True if the session has ended.
    package var isClosed: Bool { phase == .closed }

    /// True if a ping of the client is under way.
    package var isPinging: Bool { ping != nil }

    /// The number of requests that the server has not answered, with the abandoned ones.
    package var outstandingCount: Int { outstanding.count }

    var inFlightLimit: Int {
        // At least one: a limit of 0 would stop all requests for ever.
        min(max(Int(helloAnswer?.inFlightLimit ?? 1), 1), options.inFlightLimit)
    }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Asks the server to answer the following requests only from a state that contains a position of its cluster's log
    /// (Protocol 6.5). Has no effect if the server belongs to no cluster.
    package mutating func sendPosition(_ position: UInt64) {
        guard phase == .open, helloAnswer?.node != nil else { return }
        output.position(position)
    }

    // MARK: Requests

    /// Sends a request if it may be sent now. The server gets its deadline too.
    package mutating func submit<O: Operation>(_ request: O, deadline: Uptime?, at now: Uptime) -> RequestSubmission {
        if let obstacle = obstacle(to: O.opcode) { return obstacle }
        let start = output.bytes.count
        let common = CommonFields(deadlineMilliseconds: deadline.map { Self.remaining(until: $0, at: now) })
        output.request(request, id: lastID + 1, common: common)
        if let refusal = refusal(ofBytes: output.bytes.count - start - FrameHeader.byteCount) {
            output.truncate(to: start)
            return refusal
        }
        let id = track(O.opcode, deadline: deadline, at: now)
        trackSubscription(request, id: id)
        return .sent(id: id)
    }

    /// Sends a request that is encoded already, if it may be sent now. It must not be about a subscription of events.
    package mutating func submit(_ request: EncodedRequest, deadline: Uptime, at now: Uptime) -> RequestSubmission {
        if let obstacle = obstacle(to: request.opcode) { return obstacle }
        if let refusal = refusal(ofBytes: request.payloadByteCount) { return refusal }
        output.request(
            request, id: lastID + 1, deadlineMilliseconds: Self.remaining(until: deadline, at: now))
        return .sent(id: track(request.opcode, deadline: deadline, at: now))
    }

    private static func remaining(until deadline: Uptime, at now: Uptime) -> UInt32 {
        max(1, UInt32(clamping: deadline.milliseconds(since: now)))
    }

    private func obstacle(to opcode: Opcode) -> RequestSubmission? {
        guard !isGoingAway, !isFinishing, phase != .closed else { return .elsewhere }
        guard canSubmit, let helloAnswer else { return .wait }
        guard helloAnswer.opcodes.contains(where: { $0.opcode == opcode && $0.lowest <= 1 && $0.highest >= 1 })
        else {
            return .refused(ErrorReply(.unsupportedOpcode, message: "this server does not serve the request"))
        }
        return nil
    }

    private func refusal(ofBytes bytes: Int) -> RequestSubmission? {
        guard let limit = helloAnswer?.frameLimit, bytes > Int(limit) else { return nil }
        return .refused(
            ErrorReply(
                .frameTooLarge, message: "the request has \(bytes) bytes; the server takes \(limit)",
                limit: UInt64(limit)))
    }

    private mutating func track(_ opcode: Opcode, deadline: Uptime?, at now: Uptime) -> UInt64 {
        let id = nextID()
        if outstanding.isEmpty { waitingSince = now }
        outstanding[id] = Outstanding(opcode: opcode, deadline: deadline)
        if let deadline { earliestExpiry = min(earliestExpiry, deadline) }
        return id
    }

    private mutating func trackSubscription<O: Operation>(_ request: O, id: UInt64) {
        guard O.rules.kind == .session else { return }
        if let subscription = request as? SubscribeEventsRequest {
            subscriptions.begin(id, credit: subscription.credit)
        }
        if let credit = request as? EventCreditRequest { subscriptions.raise(credit.subscription, to: credit.credit) }
        if let unsubscription = request as? UnsubscribeEventsRequest { subscriptions.end(unsubscription.subscription) }
    }

    /// Ignores the events that still come of a subscription.
    package mutating func forget(subscription: UInt64) {
        subscriptions.end(subscription)
    }

    /// Ends a subscription that was abandoned before its answer came.
    mutating func unsubscribe(_ subscription: UInt64) {
        subscriptions.end(subscription)
        guard phase == .open, !isGoingAway, !isFinishing else { return }
        let id = nextID()
        output.request(UnsubscribeEventsRequest(subscription: subscription), id: id)
        outstanding[id] = Outstanding(opcode: .unsubscribeEvents, isAbandoned: true)
        abandonedCount += 1
    }

    /// Ignores the answer to a request, because the caller waits no longer. A subscription of events is ended when its
    /// answer comes.
    package mutating func abandon(_ id: UInt64, at now: Uptime) {
        guard var request = outstanding[id], !request.isAbandoned else { return }
        request.isAbandoned = true
        outstanding[id] = request
        abandonedCount += 1
        if abandonedCount >= inFlightLimit, stuckSince == nil { stuckSince = now }
    }

    mutating func untrack(_ id: UInt64) -> Outstanding? {
        guard let request = outstanding.remove(id) else { return nil }
        if request.isAbandoned {
            abandonedCount -= 1
            stuckSince = nil
        }
        return request
    }

    /// Sends a PING, unless one is under way or the server's `ping_interval_ms` has not passed (Protocol 6.3).
    package mutating func sendPing(at now: Uptime) -> PingSubmission {
        guard phase == .open, let helloAnswer else { return .notOpen }
        if ping != nil { return .underWay }
        if let lastPingAt {
            let next = lastPingAt + UInt64(helloAnswer.pingIntervalMilliseconds)
            if now < next { return .tooSoon(until: next) }
        }
        writePing(at: now)
        return .sent
    }

    mutating func writePing(at now: Uptime) {
        let payload = (ping?.payload ?? lastPingAt?.milliseconds ?? 0) &+ 1  // It only has to differ from the last one.
        output.ping(Ping(isAcknowledgement: false, payload: payload))
        ping = (payload, now)
        lastPingAt = now
    }
}
