import CarillonCore
package import CarillonWire

/// The client's end of one connection: handshake, requests out, answers in (Protocol 2 to 6). No sockets, no clock.
///
/// The shell sends what gathers in `output`, hands in bytes and uptime in milliseconds, and calls `timerFired` at `deadline`.
/// After a `Closure` it sends what is left in `output` and closes; the session then says nothing more.
package struct ClientSession {
    /// Where the connection stands (Protocol 5).
    private enum Phase: Hashable {
        /// Bytes of the server's preface are awaited. Leaves to `hello` or `closed`.
        case preface
        /// The answer to HELLO is awaited. Leaves to `auth`, `open` or `closed`.
        case hello
        /// The answer to AUTH is awaited. Leaves to `open` or `closed`.
        case auth
        /// Requests may be sent. Leaves to `closed`.
        case open
        /// Final.
        case closed
    }

    private struct Outstanding: Hashable {
        var opcode: Opcode
        var deadline: UInt64?
        /// The caller waits no longer; the place in the window is free only when the server has answered.
        var isAbandoned = false
    }

    private let settings: ClientSessionSettings
    /// What the server said of itself, once it has.
    package private(set) var welcome: Welcome?
    /// Who the server says the client is; nil if a certificate has said it.
    package private(set) var identity: Identity?
    /// Preface and frames to send, in order.
    package var output = FrameWriter()

    private var phase = Phase.preface
    private var isVersionRefused = false
    private var isGoingAway = false
    private var isFinishing = false
    private var lastID: UInt64 = 0
    private var outstanding: [UInt64: Outstanding] = [:]
    private var abandonedCount = 0
    private var scratch = FrameWriter()
    private let startedAt: UInt64
    private var readAt: UInt64
    private var ping: (payload: UInt64, sentAt: UInt64)?
    private var lastPingAt: UInt64?
    private var serverPings: TokenBucket
    private var subscriptions = EventSubscriptions()
    /// No request expires before it.
    private var earliestExpiry = UInt64.max

    /// Makes the session of a fresh connection; preface and HELLO are in `output` at once. `now` is uptime in milliseconds.
    package init(settings: ClientSessionSettings, now: UInt64) {
        self.settings = settings
        startedAt = now
        readAt = now
        serverPings = TokenBucket(capacity: 32, perSecond: 4, now: now)
        output.raw(Preface.client)
        let hello = Hello(software: settings.software, receiveLimit: settings.receiveLimit)
        output.request(hello, id: nextID())
    }

    /// Whether requests can be submitted now: open, not going away, and room in the window.
    package var canSubmit: Bool {
        phase == .open && !isGoingAway && !isFinishing && outstanding.count < inFlightLimit
    }

    /// Whether the session has ended.
    package var isClosed: Bool { phase == .closed }

    /// Whether a ping of ours is under way.
    package var isPinging: Bool { ping != nil }

    /// Requests that the server has not answered, abandoned ones included.
    package var requestsInFlight: Int { outstanding.count }

    private var inFlightLimit: Int {
        // A server that allows none would never be asked anything; one request at a time is the least.
        min(max(Int(welcome?.inFlightLimit ?? 1), 1), settings.inFlightLimit)
    }

    private mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    // MARK: Requests

    /// Sends a request if it may be sent now. `deadline` is uptime in milliseconds; the server is told of it too.
    package mutating func submit<O: Operation>(_ request: O, deadline: UInt64?, at now: UInt64) -> Submission {
        guard !isGoingAway, !isFinishing, phase != .closed else { return .elsewhere }
        guard canSubmit, let welcome else { return .wait }
        guard welcome.opcodes.contains(where: { $0.opcode == O.opcode && $0.lowest <= 1 && $0.highest >= 1 })
        else {
            return .refused(ErrorReply(.unsupportedOpcode, message: "this server does not serve the request"))
        }
        let remaining = deadline.map { UInt32(clamping: $0 > now ? $0 - now : 0) }
        let id = lastID + 1
        scratch.removeAll()
        scratch.request(request, id: id, common: CommonFields(deadlineMilliseconds: remaining))
        let bytes = scratch.bytes.count - FrameHeader.byteCount
        guard bytes <= Int(welcome.frameLimit) else {
            return .refused(
                ErrorReply(
                    .tooLarge,
                    message: "the request has \(bytes) bytes; the server takes \(welcome.frameLimit)",
                    limit: UInt64(welcome.frameLimit)
                )
            )
        }
        output.raw(scratch.bytes)
        lastID = id
        outstanding[id] = Outstanding(opcode: O.opcode, deadline: deadline)
        trackSubscription(request, id: id)
        if let deadline { earliestExpiry = min(earliestExpiry, deadline) }
        return .sent(id: id)
    }

    private mutating func trackSubscription<O: Operation>(_ request: O, id: UInt64) {
        guard O.rules.kind == .session else { return }
        if let it = request as? EventSubscription { subscriptions.begin(id, credit: it.credit) }
        if let it = request as? EventCredit { subscriptions.raise(it.subscription, to: it.credit) }
        if let it = request as? EventUnsubscription { subscriptions.end(it.subscription) }
    }

    /// Ends a subscription whose answer nobody waited for.
    private mutating func unsubscribe(_ subscription: UInt64) {
        subscriptions.end(subscription)
        guard phase == .open, !isGoingAway, !isFinishing else { return }
        let id = nextID()
        output.request(EventUnsubscription(subscription: subscription), id: id)
        outstanding[id] = Outstanding(opcode: .unsubscribeEvents, isAbandoned: true)
        abandonedCount += 1
    }

    /// The caller waits no longer for an answer; when it comes it is ignored. A subscription of events is ended then.
    package mutating func abandon(_ id: UInt64) {
        guard outstanding[id]?.isAbandoned == false else { return }
        outstanding[id]?.isAbandoned = true
        abandonedCount += 1
    }

    private mutating func untrack(_ id: UInt64) -> Outstanding? {
        guard let request = outstanding.removeValue(forKey: id) else { return nil }
        if request.isAbandoned { abandonedCount -= 1 }
        return request
    }

    /// Sends a PING, unless one is under way or the server's `ping_interval_ms` has not passed (Protocol 6.3).
    package mutating func sendPing(at now: UInt64) -> PingSubmission {
        guard phase == .open, let welcome else { return .notOpen }
        if ping != nil { return .underWay }
        if let lastPingAt {
            let next = lastPingAt + UInt64(welcome.pingIntervalMilliseconds)
            if now < next { return .tooSoon(until: next) }
        }
        writePing(at: now)
        return .sent
    }

    private mutating func writePing(at now: UInt64) {
        let payload = (ping?.payload ?? lastPingAt ?? 0) &+ 1  // Only has to differ from the one before.
        output.ping(Ping(isAcknowledgement: false, payload: payload))
        ping = (payload, now)
        lastPingAt = now
    }

    // MARK: Bytes

    /// Reads one preface or frame from the front of `bytes`; call again, also with none left, until it needs more.
    package mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        at now: UInt64
    ) -> (consumed: Int, step: ClientStep) {
        if phase == .closed { return (bytes.count, .needMore) }
        if let closure = closureIfDone() { return (0, .close(closure)) }
        guard !bytes.isEmpty else { return (0, .needMore) }
        readAt = now
        return phase == .preface ? prefaceReceived(bytes) : frameReceived(bytes, now)
    }

    private mutating func prefaceReceived(_ bytes: UnsafeRawBufferPointer) -> (consumed: Int, step: ClientStep) {
        let seen = min(bytes.count, Preface.magic.count)
        guard (0..<seen).allSatisfy({ bytes[$0] == Preface.magic[$0] }) else {
            return (bytes.count, .close(close(.foreign)))
        }
        guard bytes.count >= Preface.byteCount else { return (0, .needMore) }
        guard let version = Preface.chosenVersion(bytes), version <= Preface.version else {
            return (bytes.count, .close(garbled("the server's preface makes no sense")))
        }
        // With version 0 an error frame follows that says why (Protocol 2).
        isVersionRefused = version == 0
        phase = .hello
        return (Preface.byteCount, .proceed)
    }

    private mutating func frameReceived(
        _ bytes: UnsafeRawBufferPointer,
        _ now: UInt64
    ) -> (consumed: Int, step: ClientStep) {
        guard let header = FrameHeader(bytes) else { return (0, .needMore) }
        guard header.length <= settings.receiveLimit else {
            return (bytes.count, .close(garbled("a frame of \(header.length) bytes")))
        }
        if let closure = framingFault(header) { return (bytes.count, .close(closure)) }
        let total = FrameHeader.byteCount + Int(header.length)
        guard bytes.count >= total else { return (0, .needMore) }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount..<total])
        return (total, frameCompleted(header, payload, now))
    }

    /// Judges what can be judged before the payload has come (Protocol 3), so that nothing is held for a bad frame.
    private mutating func framingFault(_ header: FrameHeader) -> Closure? {
        guard let kind = FrameKind(rawValue: header.kind), kind != .request else {
            return garbled("a frame of kind \(header.kind)")
        }
        let allowed = kind == .control && header.opcode == .ping ? FrameHeader.acknowledgement : 0
        guard header.flags & 0x0F & ~allowed == 0 else { return garbled("a reserved flag is set") }
        if kind == .event { return eventFault(header) }
        guard kind == .response || kind == .error else { return nil }
        guard header.id <= lastID else { return garbled("an answer to a request that was not made") }
        guard kind == .error || header.id != 0 else { return garbled("a response to no request") }
        guard let request = outstanding[header.id] else { return nil }
        guard request.opcode == header.opcode, header.flags >> 4 == 0 else {
            return garbled("an answer that does not fit its request")
        }
        return nil
    }

    private mutating func eventFault(_ header: FrameHeader) -> Closure? {
        guard isKnownEvent(header) else { return nil }
        guard header.id <= lastID, header.id != 0 else { return garbled("an event that was not asked for") }
        // One of a subscription that we have ended was on its way.
        guard subscriptions.contains(header.id) else { return nil }
        return subscriptions.admits(header.id) ? nil : garbled("an event beyond the credit, or before the answer")
    }

    private func isKnownEvent(_ header: FrameHeader) -> Bool {
        header.opcode == .subscribeEvents && header.flags >> 4 == 0
    }

    private mutating func frameCompleted(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: UInt64
    ) -> ClientStep {
        do {
            switch FrameKind(rawValue: header.kind) {
            case .response: return try responseReceived(header, payload)
            case .error: return errorReceived(try ErrorReply(decoding: payload), header)
            case .control where header.flags >> 4 == 0: return try controlReceived(header, payload, now)
            case .event where isKnownEvent(header): return try eventReceived(header, payload)
            case .control, .event, .request, nil: return .proceed
            }
        } catch {
            return .close(close(.garbled(error)))
        }
    }

    private mutating func eventReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer
    ) throws(WireFault) -> ClientStep {
        let notice = try EventNotice(decoding: payload)
        return subscriptions.spend(header.id) ? .event(notice, subscription: header.id) : .proceed
    }

    private mutating func responseReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer
    ) throws(WireFault) -> ClientStep {
        switch (phase, header.opcode) {
        case (.hello, .hello):
            guard !isVersionRefused else { return .close(garbled("an answer after the version was refused")) }
            return welcomed(try Hello.decodeAnswer(payload))
        case (.auth, .authenticate):
            identity = try Authentication.decodeAnswer(payload)
            phase = .open
            return .opened
        case (.open, _):
            guard let request = outstanding[header.id] else { return .proceed }
            // Forgotten only once its answer is read: one that cannot be read leaves it among the unanswered.
            let step = request.isAbandoned ? ClientStep.proceed : try answered(header, payload)
            _ = untrack(header.id)
            if request.opcode == .subscribeEvents { subscribed(header.id, isAbandoned: request.isAbandoned) }
            return step
        default:
            return .close(garbled("an answer out of its phase"))
        }
    }

    private mutating func subscribed(_ id: UInt64, isAbandoned: Bool) {
        if isAbandoned { unsubscribe(id) } else { subscriptions.answered(id) }
    }

    private func answered(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer
    ) throws(WireFault) -> ClientStep {
        do {
            return .answered(try AnyAnswer.decode(header.opcode, payload), id: header.id)
        } catch {
            // Readable, but with a value that this version does not know: the connection is sound.
            guard error.code == .invalidArgument else { throw error }
            return .unreadable(error, id: header.id)
        }
    }

    private mutating func welcomed(_ welcome: Welcome) -> ClientStep {
        self.welcome = welcome
        if welcome.isAuthenticated {
            phase = .open
            return .opened
        }
        guard let credential = settings.credential else { return .close(close(.credentialNeeded)) }
        output.request(Authentication(credential: credential), id: nextID())
        phase = .auth
        return .proceed
    }

    private mutating func errorReceived(_ reply: ErrorReply, _ header: FrameHeader) -> ClientStep {
        if reply.scope == .connection || phase != .open { return .close(close(.server(reply), naming: header.id)) }
        guard header.id != 0 else { return .close(garbled("an error of scope request that names none")) }
        subscriptions.end(header.id)
        guard let request = untrack(header.id), !request.isAbandoned else { return .proceed }
        return .refused(reply, id: header.id)
    }

    private mutating func controlReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: UInt64
    ) throws(WireFault) -> ClientStep {
        switch try Control.decode(header, payload) {
        case .ping(let ping) where ping.isAcknowledgement:
            guard ping.payload == self.ping?.payload else { return .proceed }
            self.ping = nil
            return .ponged
        case .ping(let ping):
            guard serverPings.take(now: now) else { return .close(garbled("too many pings")) }
            output.ping(Ping(isAcknowledgement: true, payload: ping.payload))
            return .proceed
        case .goAway(let goAway):
            return goAwayReceived(goAway)
        case .unknown:
            return .proceed
        }
    }

    private mutating func goAwayReceived(_ goAway: GoAway) -> ClientStep {
        isGoingAway = true
        var refused: [UInt64] = []
        for id in outstanding.keys.filter({ $0 > goAway.lastID }).sorted() {
            subscriptions.end(id)
            if let request = untrack(id), !request.isAbandoned { refused.append(id) }
        }
        return .goingAway(reconnectAfterMilliseconds: goAway.reconnectAfterMilliseconds, notExecuted: refused)
    }

    // MARK: The end

    /// Ends the session as soon as everything sent has been answered.
    package mutating func finish() -> Closure? {
        isFinishing = true
        return closureIfDone()
    }

    /// The server, or the network, has ended the connection.
    package mutating func disconnected() -> Closure {
        close(isVersionRefused ? .versionRefused : .disconnected)
    }

    private mutating func closureIfDone() -> Closure? {
        guard outstanding.count == abandonedCount, phase != .closed else { return nil }
        if isFinishing { return close(.finished) }
        return isGoingAway ? close(.drained) : nil
    }

    private mutating func garbled(_ text: String) -> Closure {
        close(.garbled(WireFault(.malformed, text: text)))
    }

    /// Ends the session; an error frame's effect is that of the request it names, of the others it is unknown (Protocol 9).
    private mutating func close(_ reason: Closure.Reason, naming named: UInt64? = nil) -> Closure {
        phase = .closed
        let unanswered = outstanding.filter { !$0.value.isAbandoned }.keys.sorted()
        outstanding = [:]
        abandonedCount = 0
        return Closure(reason: reason, unanswered: unanswered, named: unanswered.contains { $0 == named } ? named : nil)
    }

    // MARK: Time

    /// Uptime in milliseconds at which the shell calls `timerFired`; nothing after the end.
    package var deadline: UInt64? {
        switch phase {
        case .closed: nil
        case .preface, .hello, .auth: startedAt + settings.handshakeMilliseconds
        case .open: min(silenceDeadline, earliestExpiry)
        }
    }

    private var silenceDeadline: UInt64 {
        if let ping, ping.sentAt >= readAt { return ping.sentAt + settings.pingMilliseconds }
        guard let welcome, welcome.keepaliveMilliseconds > 0 else { return .max }
        return readAt + UInt64(max(welcome.keepaliveMilliseconds, welcome.pingIntervalMilliseconds))
    }

    /// Does what time demands.
    package mutating func timerFired(at now: UInt64) -> Overdue {
        switch phase {
        case .closed:
            return Overdue()
        case .preface, .hello, .auth:
            return now < startedAt + settings.handshakeMilliseconds
                ? Overdue() : Overdue(closure: close(.handshakeTimeout))
        case .open:
            break
        }
        if now >= silenceDeadline {
            if ping != nil { return Overdue(closure: close(.silence)) }
            writePing(at: now)
        }
        let expired = expire(at: now)
        // A server that answers pings and nothing else has lost its way.
        let isStuck = abandonedCount >= inFlightLimit
        return Overdue(expired: expired, closure: isStuck ? close(.silence) : closureIfDone())
    }

    private mutating func expire(at now: UInt64) -> [UInt64] {
        guard now >= earliestExpiry else { return [] }
        var expired: [UInt64] = []
        earliestExpiry = .max
        for (id, request) in outstanding where !request.isAbandoned {
            guard let deadline = request.deadline else { continue }
            if deadline <= now { expired.append(id) } else { earliestExpiry = min(earliestExpiry, deadline) }
        }
        expired.sort()
        for id in expired { abandon(id) }
        return expired
    }
}
