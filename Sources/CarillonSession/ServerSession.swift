package import CarillonCore
package import CarillonWire

/// The server's end of one connection: who may say what when (Protocol 2 to 6). No sockets, no clock.
///
/// The shell hands in bytes and uptime, sends what gathers in `output`, runs the requests that come out and gives back their
/// answers. It asks `mayRead` before it reads on, and calls `timerFired` at `deadline`. SUBSCRIBE_EVENTS is a request like
/// any other; once it is answered the shell sends events while `canSendEvent` says so, and looks again when EVENT_CREDIT
/// comes out as a request or the socket has taken what was said. UNSUBSCRIBE_EVENTS has ended a subscription when it comes
/// out; the end of the connection ends all.
package struct ServerSession {
    /// What the shell does next.
    package enum Step: Hashable, Sendable {
        /// Nothing more can be read from these bytes: wait for more.
        case needMore
        /// Something was read that needs nothing from the shell: call again.
        case proceed
        /// Check this key and call `authenticated`.
        case authenticate(Authentication, id: UInt64)
        /// Run this request and give its answer to `respond` or `fail`. `deadline` is uptime in milliseconds.
        indirect case run(Request, id: UInt64, deadline: UInt64?)
        /// Answer this request, a few rows do, with `answer` or `fail`; `receivedPointReads` gives those behind it.
        case pointRead(PointRead, of: AppID, id: UInt64, deadline: UInt64?)
        /// Make this change and give the answer of its request to `respond` or `fail`; `receivedChanges` gives those behind it.
        case change(Change, of: AppID, id: UInt64, deadline: UInt64?)
        /// Send what is in `output`, then close.
        case close
    }

    /// Where the connection stands (Protocol 5).
    private enum Phase: Hashable {
        /// Bytes of the client's preface are awaited. Leaves to `hello` or `closed`.
        case preface
        /// Only HELLO is legal. Leaves to `auth`, `open` or `closed`.
        case hello
        /// Only AUTH is legal. Leaves to `open` or `closed`.
        case auth(failures: Int)
        /// The client is known. Leaves to `closed`.
        case open
        /// Nothing is read or answered any more. Final.
        case closed
    }

    /// How far an orderly stop has come (Protocol 6.4).
    private enum Drain: Hashable {
        case none
        /// The first GOAWAY is out; requests are still executed.
        case noticed(since: UInt64)
        /// The second GOAWAY is out; later requests are answered with DRAINING.
        case closing(since: UInt64)
    }

    private let limits: SessionLimits
    private let welcome: Welcome
    /// Who the client is, once known.
    package private(set) var principal: Principal?
    /// Frames to send, in order.
    package var output = FrameWriter()

    private var phase = Phase.preface
    private var drain = Drain.none
    private var isInputClosed = false
    private var lastID: UInt64 = 0
    private var outstanding = OutstandingRequests()
    private var lastApp: AppID?
    private var startedAt: UInt64
    private var frame: (startedAt: UInt64, bytes: UInt64)?
    private var readAt: UInt64
    private var pingedAt: UInt64?
    private var clientPingedAt: UInt64?
    private var pingStrikes = 0
    private var errors: TokenBucket
    private var receiveLimit: UInt32
    private var subscriptions = EventSubscriptions()

    /// Makes the session of a fresh connection.
    ///
    /// - Parameters:
    ///   - welcome: what HELLO is answered; `isAuthenticated` and `clock` are filled in.
    ///   - principal: who the client certificate names, if anybody.
    package init(limits: SessionLimits, welcome: Welcome, principal: Principal?, now: UInt64) {
        self.limits = limits
        self.welcome = welcome
        self.principal = principal
        startedAt = now
        readAt = now
        receiveLimit = limits.frameBytes
        errors = TokenBucket(capacity: limits.errorsAtOnce, perSecond: limits.errorsPerSecond, now: now)
    }

    /// Whether the shell should read on: not while too much is outstanding, and never after the end.
    package var mayRead: Bool {
        phase != .closed && !isInputClosed && outstanding.count < Int(limits.requestsInFlight)
            && outstanding.bytes < limits.bytesInFlight
    }

    /// Whether `output` is to be taken before more is read, so that the socket can say when it has enough.
    package var hasMuchToSay: Bool { output.bytes.count >= limits.outputPieceBytes }

    /// Whether the session has ended: the shell closes when `output` is sent.
    package var isClosed: Bool { phase == .closed }

    /// Requests not answered yet.
    package var requestsInFlight: Int { outstanding.count }

    // MARK: Bytes

    /// Reads one preface or frame from the front of `bytes`.
    ///
    /// - Returns: how many bytes are done with, and what to do. With `needMore`, 0 bytes.
    package mutating func received(_ bytes: UnsafeRawBufferPointer, at now: Moment) -> (consumed: Int, step: Step) {
        readAt = now.uptimeMilliseconds
        pingedAt = nil
        switch phase {
        case .preface: return prefaceReceived(bytes)
        case .hello, .auth, .open: return frameReceived(bytes, now)
        case .closed: return (bytes.count, .close)
        }
    }

    private mutating func prefaceReceived(_ bytes: UnsafeRawBufferPointer) -> (consumed: Int, step: Step) {
        switch Preface.read(bytes) {
        case .incomplete:
            return (0, .needMore)
        case .foreign:
            phase = .closed
            return (bytes.count, .close)
        case .malformed:
            output.raw(Preface.server(choosing: 0))
            return (bytes.count, close(.malformed, "the preface makes no sense"))
        case .unsupported:
            output.raw(Preface.server(choosing: 0))
            return (bytes.count, close(.unsupportedVersion, "this server speaks version \(Preface.version)"))
        case .accepted:
            output.raw(Preface.server(choosing: Preface.version))
            phase = .hello
            return (Preface.byteCount, .proceed)
        }
    }

    private mutating func frameReceived(
        _ bytes: UnsafeRawBufferPointer,
        _ now: Moment
    ) -> (consumed: Int, step: Step) {
        guard let header = FrameHeader(bytes) else {
            if !bytes.isEmpty && frame == nil { frame = (now.uptimeMilliseconds, 0) }
            return (0, .needMore)
        }
        let limit = phase == .open ? limits.frameBytes : WireLimits.frameBytesBeforeOpen
        guard header.length <= limit else {
            return (bytes.count, close(.frameTooLarge, "\(header.length) bytes; the limit is \(limit)", limit: limit))
        }
        if let fault = framingFault(header) { return (bytes.count, fault) }
        let total = FrameHeader.byteCount + Int(header.length)
        guard bytes.count >= total else {
            frame = (frame?.startedAt ?? now.uptimeMilliseconds, UInt64(header.length))
            return (0, .needMore)
        }
        frame = nil
        let payload = UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount..<total])
        let step =
            header.kind == FrameKind.control.rawValue
            ? controlReceived(header, payload, now) : requestReceived(header, payload, now)
        return (total, step)
    }

    /// Judges what can be judged before the payload has come (Protocol 3), so that nothing is held for a bad frame.
    private mutating func framingFault(_ header: FrameHeader) -> Step? {
        let isControl = header.kind == FrameKind.control.rawValue
        guard isControl || header.kind == FrameKind.request.rawValue else {
            return close(.malformed, "a client does not send frames of kind \(header.kind)")
        }
        let allowed = isControl && header.opcode == .ping ? FrameHeader.acknowledgement : 0
        guard header.flags & 0x0F & ~allowed == 0 else { return close(.malformed, "a reserved flag is set") }
        if isControl {
            return header.id == 0 ? nil : close(.malformed, "a control frame has id 0")
        }
        guard header.id > lastID else {
            return close(.badRequestID, "request id \(header.id) after \(lastID)")
        }
        let isLegal =
            switch phase {
            case .hello: header.opcode == .hello
            case .auth: header.opcode == .authenticate && outstanding.isEmpty
            case .open: header.opcode != .hello && header.opcode != .authenticate
            case .preface, .closed: false
            }
        guard isLegal else {
            return close(
                .wrongPhase,
                "opcode \(header.opcode.rawValue) is not legal now",
                id: header.id,
                opcode: header.opcode
            )
        }
        return nil
    }

    private mutating func controlReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: Moment
    ) -> Step {
        do {
            switch try Control.decode(header, payload) {
            case .ping(let ping) where !ping.isAcknowledgement: return pingReceived(ping, now)
            case .ping, .goAway, .unknown: return .proceed
            }
        } catch {
            // A GOAWAY of a client is ignored, whatever it says.
            return header.opcode == .ping ? close(.malformed, error.text) : .proceed
        }
    }

    private mutating func pingReceived(_ ping: Ping, _ now: Moment) -> Step {
        let uptime = now.uptimeMilliseconds
        let isTooSoon = clientPingedAt.map { uptime - $0 < UInt64(limits.pingIntervalMilliseconds) } ?? false
        clientPingedAt = uptime
        pingStrikes = isTooSoon ? pingStrikes + 1 : 0
        guard pingStrikes < 2 else {
            return close(.tooManyPings, "pings are to be \(limits.pingIntervalMilliseconds) ms apart", retry: 1_000)
        }
        output.ping(Ping(isAcknowledgement: true, payload: ping.payload))
        return .proceed
    }

    private mutating func requestReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: Moment
    ) -> Step {
        lastID = header.id
        if case .closing = drain {
            // No fault of a client that had sent much before it heard of the end; the end of draining bounds these.
            output.error(Self.drainingError, opcode: header.opcode, id: header.id)
            return .proceed
        }
        guard welcome.opcodes.contains(where: { $0.opcode == header.opcode }) else {
            return refuse(
                header,
                ErrorReply(.unsupportedOpcode, message: "opcode \(header.opcode.rawValue) is not served"),
                now
            )
        }
        guard header.flags >> 4 == 0 else {
            return refuse(header, ErrorReply(.unsupportedVersion, message: "only layout 1 is spoken"), now)
        }
        let request: Request
        let common: CommonFields
        do {
            if let (pointRead, app, common) = try PointRead.decode(header.opcode, payload, lastApp: &lastApp) {
                track(header)
                return .pointRead(pointRead, of: app, id: header.id, deadline: deadline(common, now))
            }
            if let (change, app, common) = try Change.decode(header.opcode, payload, lastApp: &lastApp, now: now.wall) {
                track(header)
                return .change(change, of: app, id: header.id, deadline: deadline(common, now))
            }
            (request, common) = try Request.decode(header.opcode, payload, lastApp: &lastApp)
        } catch {
            return refuse(header, ErrorReply(error), now)
        }
        switch request {
        case .hello(let hello):
            receiveLimit = hello.receiveLimit == 0 ? limits.frameBytes : hello.receiveLimit
            helloReceived(id: header.id, now)
            return .proceed
        case .authenticate(let authentication):
            track(header)
            return .authenticate(authentication, id: header.id)
        case .registerBatch(let items) where !fitsAnswer(rows: items.count, bytes: 11):
            let text = "the answer would be larger than the receive_limit of HELLO"
            return refuse(header, ErrorReply(.invalidArgument, message: text, field: "items"), now)
        case .send(let message) where isTooFarAhead(message, now):
            return refuse(header, Self.tooFarAheadError, now)
        default:
            return eventRefusal(request, header, now) ?? run(request, header, common, now)
        }
    }

    /// Reads the pointReads at the front of `bytes` that follow one which `received` gave, as long as they are of its kind and about
    /// the same app.
    ///
    /// The first frame that is anything else, or has a fault, is left to `received`, and so is what is above `limit`: nothing is
    /// said here, so that no answer to those before can come too late.
    ///
    /// - Returns: how many bytes are done with.
    package mutating func receivedPointReads(
        _ bytes: UnsafeRawBufferPointer,
        like opcode: Opcode,
        of app: AppID,
        at now: Moment,
        limit: Int,
        _ take: (PointRead, _ id: UInt64, _ deadline: UInt64?) -> Void
    ) -> Int {
        var left = limit
        return receivedTogether(bytes, while: { left > 0 }) { session, header, payload in
            guard header.opcode == opcode, let (pointRead, common) = try? PointRead.decode(opcode, payload, of: app)
            else {
                return false
            }
            left -= 1
            session.track(header)
            take(pointRead, header.id, session.deadline(common, now))
            return true
        }
    }

    /// Reads the changes at the front of `bytes` that follow one which `received` gave, as long as they are about the same app and
    /// another is wanted.
    ///
    /// The first frame that is anything else, or has a fault, is left to `received`: nothing is said here.
    ///
    /// - Returns: how many bytes are done with.
    package mutating func receivedChanges(
        _ bytes: UnsafeRawBufferPointer,
        of app: AppID,
        at now: Moment,
        while isWanted: () -> Bool,
        _ take: (Change, _ id: UInt64, _ deadline: UInt64?) -> Void
    ) -> Int {
        receivedTogether(bytes, while: isWanted) { session, header, payload in
            guard session.welcome.opcodes.contains(where: { $0.opcode == header.opcode }),
                let (change, itsApp, common) = try? Change.decode(
                    header.opcode, payload, lastApp: &session.lastApp, now: now.wall), itsApp == app
            else { return false }
            session.track(header)
            take(change, header.id, session.deadline(common, now))
            return true
        }
    }

    /// Reads whole frames of requests from the front of `bytes` while another is wanted and `take` takes them.
    private mutating func receivedTogether(
        _ bytes: UnsafeRawBufferPointer,
        while isWanted: () -> Bool,
        _ take: (inout ServerSession, FrameHeader, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        if case .closing = drain { return 0 }
        var offset = 0
        while isWanted(), mayRead {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            guard let header = FrameHeader(rest), header.kind == FrameKind.request.rawValue, header.flags == 0,
                header.id > lastID, header.length <= limits.frameBytes,
                rest.count >= FrameHeader.byteCount + Int(header.length)
            else { break }
            let end = FrameHeader.byteCount + Int(header.length)
            let payload = UnsafeRawBufferPointer(rebasing: rest[FrameHeader.byteCount..<end])
            guard take(&self, header, payload) else { break }
            lastID = header.id
            offset += end
        }
        return offset
    }

    private mutating func run(
        _ request: Request,
        _ header: FrameHeader,
        _ common: CommonFields,
        _ now: Moment
    ) -> Step {
        track(header)
        return .run(request.answered(within: receiveLimit), id: header.id, deadline: deadline(common, now))
    }

    private func isTooFarAhead(_ message: Message, _ now: Moment) -> Bool {
        message.sendAt.map { $0.milliseconds(since: now.wall) > WireLimits.scheduleMilliseconds } ?? false
    }

    private static let tooFarAheadError = ErrorReply(
        .invalidArgument, message: "a message is scheduled at most 366 days ahead", field: "send_at",
        limit: WireLimits.scheduleMilliseconds)

    // MARK: Events (Protocol 8a)

    /// Keeps account of subscriptions and their credit; an answer if the request names none, or would be one too many.
    private mutating func eventRefusal(_ request: Request, _ header: FrameHeader, _ now: Moment) -> Step? {
        switch request {
        case .subscribeEvents(let it):
            let limit = WireLimits.eventSubscriptions
            guard subscriptions.count < limit else {
                let text = "a connection has at most \(limit) subscriptions of events"
                return refuse(header, ErrorReply(.invalidArgument, message: text, limit: UInt64(limit)), now)
            }
            subscriptions.begin(header.id, credit: it.credit)
        case .eventCredit(let it):
            guard subscriptions.contains(it.subscription) else { return refuse(header, Self.noSubscription, now) }
            subscriptions.raise(it.subscription, to: it.credit)
        case .unsubscribeEvents(let it):
            guard subscriptions.contains(it.subscription) else { return refuse(header, Self.noSubscription, now) }
            subscriptions.end(it.subscription)
        default: break
        }
        return nil
    }

    private static let noSubscription = ErrorReply(
        .notFound, message: "this connection has no such subscription", field: "subscription")

    /// Whether an event may be sent on the subscription that the request `id` has made: it is answered and not ended, has
    /// credit, and the shell has taken most of what was said before.
    package func canSendEvent(_ subscription: UInt64) -> Bool {
        phase == .open && output.bytes.count < limits.eventBytesWaiting && subscriptions.admits(subscription)
    }

    /// Sends an event, which takes one of the credit; false, and nothing is sent, while `canSendEvent` is false.
    package mutating func sendEvent(_ notice: EventNotice, on subscription: UInt64) -> Bool {
        guard canSendEvent(subscription), subscriptions.spend(subscription) else { return false }
        output.event(notice, subscription: subscription)
        return true
    }

    private func deadline(_ common: CommonFields, _ now: Moment) -> UInt64? {
        common.deadlineMilliseconds.map { now.uptimeMilliseconds + UInt64($0) }
    }

    /// Whether an answer of so many rows is within what the client takes; 16 bytes are for its other fields.
    private func fitsAnswer(rows: Int, bytes: Int) -> Bool {
        16 + rows * bytes <= Int(receiveLimit)
    }

    /// The few answers that no `limit` makes short enough are of requests that change nothing (Protocol 6.1).
    private static func tooLongError(_ opcode: Opcode) -> ErrorReply {
        ErrorReply(
            .invalidArgument,
            message: "the answer would be larger than the receive_limit of HELLO",
            field: opcode == .explain ? "condition" : "limit"
        )
    }

    private mutating func helloReceived(id: UInt64, _ now: Moment) {
        var answer = welcome
        answer.clock = now.wall
        answer.isAuthenticated = principal != nil
        output.response(.welcome(answer), id: id)
        phase = principal == nil ? .auth(failures: 0) : .open
    }

    private mutating func track(_ header: FrameHeader) {
        outstanding.add(header.id, header.opcode, bytes: Int(header.length))
    }

    // MARK: Answers

    /// The shell has checked a key: `principal` is whose it is, or nothing.
    package mutating func authenticated(as principal: Principal?, id: UInt64) {
        guard case .auth(let failures) = phase, outstanding.remove(id) != nil else { return }
        if let principal {
            self.principal = principal
            identify(principal, id: id)
            phase = .open
            closeIfDone()
            return
        }
        let isLast = failures + 1 >= limits.authenticationAttempts
        let reply = ErrorReply(
            .authenticationFailed,
            scope: isLast ? .connection : .request,
            message: "the credential is not good"
        )
        output.error(reply, opcode: .authenticate, id: id)
        phase = isLast ? .closed : .auth(failures: failures + 1)
        closeIfDone()
    }

    /// Tells the client who it is; of its grants as many as fit in what it takes (Protocol 6.2).
    private mutating func identify(_ principal: Principal, id: UInt64) {
        let start = output.bytes.count
        var grants = principal.grants
        while true {
            output.response(.identity(Identity(principal: principal.name, grants: grants)), id: id)
            let excess = output.bytes.count - start - answerLimit
            guard excess > 0, !grants.isEmpty else { return }
            output.truncate(to: start)
            // A grant has at most 158 bytes: never more than necessary are left out in one go.
            grants.removeLast(min(grants.count, max(1, excess / 158)))
        }
    }

    /// Answers a request; an id that is not outstanding is ignored.
    package mutating func respond(_ response: Response, id: UInt64) {
        respond(response.opcode, id) { $0.response(response, id: id) }
        subscriptions.answered(id)
    }

    /// Answers an pointRead; an id that is not outstanding is ignored.
    package mutating func answer(_ answer: PointReadResult, id: UInt64) {
        let limit = answerLimit
        respond(answer.opcode, id) { output in
            let start = output.bytes.count
            output.answer(answer, id: id)
            guard output.bytes.count - start > limit, case .status(var status) = answer else { return }
            // The audience alone can be so long, and who has named it knows it.
            status.audience = nil
            output.truncate(to: start)
            output.answer(.status(status), id: id)
        }
    }

    /// Bytes of an answer at most, with its header.
    private var answerLimit: Int { FrameHeader.byteCount + Int(receiveLimit) }

    private mutating func respond(_ opcode: Opcode, _ id: UInt64, _ write: (inout FrameWriter) -> Void) {
        guard phase != .closed, outstanding.remove(id) != nil else { return }
        let start = output.bytes.count
        write(&output)
        if output.bytes.count - start > answerLimit {
            output.truncate(to: start)
            output.error(Self.tooLongError(opcode), opcode: opcode, id: id)
        }
        closeIfDone()
    }

    /// Refuses a request that the shell was to run; an id that is not outstanding is ignored.
    package mutating func fail(_ error: ErrorReply, id: UInt64, at now: UInt64) {
        guard phase != .closed, let request = outstanding.remove(id) else { return }
        subscriptions.end(id)
        // Only faults of the client have a budget: that a device is not there, or the server busy, is none.
        let isFault = error.code == .forbidden || error.code == .invalidArgument
        if isFault && !errors.take(now: now) {
            _ = close(.tooManyErrors, "too many errors on this connection", retry: 1_000)
            return
        }
        output.error(error, opcode: request.opcode, id: id)
        if error.scope == .connection { phase = .closed }
        closeIfDone()
    }

    private mutating func refuse(_ header: FrameHeader, _ error: ErrorReply, _ now: Moment) -> Step {
        guard errors.take(now: now.uptimeMilliseconds) else {
            return close(.tooManyErrors, "too many errors on this connection", retry: 1_000)
        }
        output.error(error, opcode: header.opcode, id: header.id)
        return .proceed
    }

    private mutating func close(
        _ code: ErrorCode,
        _ text: String,
        id: UInt64 = 0,
        opcode: Opcode = Opcode(rawValue: 0),
        limit: UInt32? = nil,
        retry: UInt32? = nil
    ) -> Step {
        let reply = ErrorReply(
            code,
            scope: .connection,
            retry: retry.map { .after(milliseconds: $0) } ?? .never,
            message: text,
            limit: limit.map { UInt64($0) }
        )
        output.error(reply, opcode: opcode, id: id)
        phase = .closed
        return .close
    }

    private static let drainingError = ErrorReply(
        .draining,
        retry: .after(milliseconds: 0),
        message: "this connection takes no more requests; use another"
    )

    // MARK: The end

    /// The client has closed its sending direction: what is outstanding is still answered.
    package mutating func inputClosed() {
        isInputClosed = true
        closeIfDone()
    }

    /// Begins an orderly stop with the first GOAWAY; one more is ignored.
    ///
    /// - Parameter reconnectAfter: milliseconds that the client should wait, spread by the caller.
    package mutating func beginDraining(at now: UInt64, reconnectAfter: UInt32) {
        beginDraining(at: now, reconnectAfter: reconnectAfter, reason: "the server is stopping")
    }

    /// What the client may do has changed: it holds from the next request on, and an orderly stop begins, so that the client
    /// connects again and learns of it. With nothing its credential is not good any more: no further request is executed.
    ///
    /// - Parameter reconnectAfter: milliseconds that the client should wait, spread by the caller.
    package mutating func principalChanged(to principal: Principal?, at now: UInt64, reconnectAfter: UInt32) {
        guard phase == .open else {
            self.principal = principal
            return
        }
        if let principal {
            self.principal = principal
            let reason = "what this client may do has changed"
            return beginDraining(at: now, reconnectAfter: reconnectAfter, reason: reason)
        }
        if case .closing = drain { return }
        drain = .closing(since: now)
        let reason = "the credential is not good any more"
        output.goAway(
            goAway(lastID: lastID, reconnectAfter: reconnectAfter, code: .authenticationFailed, reason: reason))
        closeIfDone()
    }

    private mutating func beginDraining(at now: UInt64, reconnectAfter: UInt32, reason: String) {
        guard drain == .none else { return }
        drain = .noticed(since: now)
        guard phase == .open else {
            phase = .closed
            return
        }
        output.goAway(goAway(lastID: .max, reconnectAfter: reconnectAfter, reason: reason))
    }

    private mutating func finishDraining(since: UInt64, at now: UInt64) {
        drain = .closing(since: since)
        var goAway = goAway(lastID: lastID, reconnectAfter: 0, reason: "this connection ends")
        // Of the time that the first has promised, what is left.
        goAway.graceMilliseconds -= UInt32(clamping: min(now - since, UInt64(goAway.graceMilliseconds)))
        output.goAway(goAway)
        closeIfDone()
    }

    private func goAway(
        lastID: UInt64, reconnectAfter: UInt32, code: ErrorCode = .draining, reason: String
    ) -> GoAway {
        GoAway(
            lastID: lastID,
            code: code,
            graceMilliseconds: limits.drainMilliseconds,
            reconnectAfterMilliseconds: reconnectAfter,
            reason: reason
        )
    }

    private mutating func closeIfDone() {
        guard outstanding.isEmpty else { return }
        if case .closing = drain { phase = .closed }
        if isInputClosed { phase = .closed }
    }

    // MARK: Time

    /// Uptime in milliseconds at which the shell calls `timerFired`; nothing after the end.
    package var deadline: UInt64? {
        var earliest = frameDeadline ?? .max
        switch phase {
        case .closed: return nil
        case .preface, .hello, .auth: earliest = min(earliest, startedAt + limits.handshakeMilliseconds)
        // While the session itself keeps the shell from reading, silence says nothing.
        case .open: if mayRead { earliest = min(earliest, silenceDeadline) }
        }
        switch drain {
        case .none: break
        case .noticed(let since): earliest = min(earliest, since + limits.drainNoticeMilliseconds)
        case .closing(let since): earliest = min(earliest, since + UInt64(limits.drainMilliseconds))
        }
        return earliest == .max ? nil : earliest
    }

    private var silenceDeadline: UInt64 {
        if let pingedAt { return pingedAt + limits.pingMilliseconds }
        return readAt + UInt64(limits.keepaliveMilliseconds)
    }

    private var frameDeadline: UInt64? {
        // While the session itself keeps the shell from reading, the client cannot be blamed.
        guard let frame, mayRead else { return nil }
        return frame.startedAt + limits.frameMilliseconds + frame.bytes / 4_096 * 1_000
    }

    /// The shell stopped reading for a reason of its own; the frame that is on its way gets its time anew.
    package mutating func readingResumed(at now: UInt64) {
        if let frame { self.frame = (now, frame.bytes) }
        readAt = now
        pingedAt = nil
    }

    /// Does what time demands; the shell sends `output` and closes if `isClosed`.
    package mutating func timerFired(at now: UInt64) {
        if let frameDeadline, now >= frameDeadline {
            _ = close(.timeout, "a frame did not come to its end", retry: 0)
            return
        }
        switch phase {
        case .closed:
            return
        case .preface, .hello, .auth:
            if now >= startedAt + limits.handshakeMilliseconds {
                _ = phase == .preface ? closeSilently() : close(.timeout, "the handshake took too long", retry: 0)
            }
        case .open:
            silenceTimerFired(now)
        }
        switch drain {
        case .none: break
        case .noticed(let since):
            if now >= since + limits.drainNoticeMilliseconds, phase == .open { finishDraining(since: since, at: now) }
        case .closing(let since):
            if now >= since + UInt64(limits.drainMilliseconds) { phase = .closed }
        }
    }

    private mutating func closeSilently() -> Step {
        phase = .closed
        return .close
    }

    private mutating func silenceTimerFired(_ now: UInt64) {
        guard mayRead, now >= silenceDeadline else { return }
        if pingedAt != nil {
            _ = close(.timeout, "no answer to a ping", retry: 0)
        } else {
            output.ping(Ping(isAcknowledgement: false, payload: now))
            pingedAt = now
        }
    }
}
