import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator
import CarillonTLS
import NIOCore

/// One accepted connection: TLS and HTTP/2 in one handler, one write for each burst of received bytes.
///
/// It decides nothing about pushes: `SimulatorState.judge` does, between a request's arrival and `answer`.
final class Connection: ChannelInboundHandler, FaultyConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let simulator: SimulatorState
    let tls: TLSSession
    let http: HTTP2ServerSession
    private let number: Int
    /// True on the port of channel management.
    private let isForChannels: Bool
    private var client = Validator.Connection()
    private var hasGreeted = false
    private var isOpen = false
    var isClosing = false
    /// True if the stream limit has been raised from the one that an unproven client gets.
    private var isTrusted = false
    private let accepted: PreparedAnswer
    private var rejections = Rejections()
    private let ids = IDGenerator()
    private var delayed: [Delayed] = []
    /// The faults of this connection; most have none.
    var faultActions = FaultActions<Delayed>()
    private let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    private let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)

    private static let bufferSize = 64 << 10

    /// An answer that is sent later.
    struct Delayed: DelayedAnswer {
        var stream: Int32
        var verdict: Verdict
        var id: [UInt8]
        var frameBytes = Int.max
    }

    /// - Parameters:
    ///   - isForChannels: true on the port of channel management.
    ///   - faults: the faults that happen as soon as TCP is connected.
    init(
        simulator: SimulatorState, context: TLSContext, number: Int, isForChannels: Bool, faults: [Fault.Action]
    ) throws {
        self.simulator = simulator
        self.number = number
        self.isForChannels = isForChannels
        var context = context
        for case .tls(let other) in faults { context = other }
        faultActions.atAccept = faults
        tls = try TLSSession(server: context)
        var settings = ServerSettings()
        settings.maxConcurrentStreams = simulator.unprovenStreams
        settings.connectionWindowSize = 16 << 20
        http = try HTTP2ServerSession(settings: settings)
        accepted = try PreparedAnswer(status: 200)
    }

    deinit {
        plaintext.deallocate()
        outgoing.deallocate()
    }

    func channelActive(context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        simulator.withState { state in
            state.connectionCount += 1
            state.connections[number] = { command in
                loop.execute {
                    let (connection, context) = loopBound.value
                    connection.run(command, context)
                }
            }
        }
        for fault in faultActions.atAccept { apply(fault, context) }
        faultActions.atAccept = []
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        http.close()
        simulator.withState { $0.connections[number] = nil }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if faultActions.reader != nil { faultActions.unread.writeBuffer(&bytes) } else { receive(bytes, context) }
    }

    /// Processes received bytes: TLS first, then requests.
    func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if isClosing || faultActions.isFrozen { return }
        if let hello = faultActions.hello { return writeRaw(hello, context) }
        do {
            try bytes.withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
            if !isOpen {
                guard try greet(), try tls.handshake() == .complete else { return }
                isOpen = true
                if let certificate = tls.peerCertificate {
                    guard try accept(certificate) else { return flush(context) }
                }
                for fault in simulator.faults(at: .open) { apply(fault, context) }
                if isClosing || faultActions.isFrozen { return }
            }
            try readRequests(context)
        } catch {
            end(error, context)
        }
    }

    /// Sends the settings together with the end of our handshake, so that a client that reads before it writes knows
    /// its stream limit in time. Returns true if that is done.
    private func greet() throws -> Bool {
        if hasGreeted { return true }
        guard try tls.answerHello() else { return false }
        hasGreeted = true
        // With TLS 1.2 the handshake is complete, and the next flush sends the settings; the same if a fault is to come
        // first.
        guard tls.mayWriteEarly, !simulator.mayHaveFaults(at: .open) else { return true }
        let count = try http.fill(outgoing)
        try tls.writeEarly(UnsafeRawBufferPointer(rebasing: outgoing[..<count]))
        return true
    }

    /// Reads Apple's extensions in a client's certificate. Returns false, and ends the connection, if it is for the
    /// other environment.
    private func accept(_ certificate: Certificate) throws -> Bool {
        let isForBoth = certificate.push.isForProduction == certificate.push.isForSandbox
        guard isForBoth || certificate.push.isForSandbox == (simulator.environment == "sandbox") else {
            try http.goAway(
                lastStreamID: 0, code: .noError, debugData: Array(#"{"reason":"BadCertificateEnvironment"}"#.utf8))
            isClosing = true
            return false
        }
        let names = certificate.push.names
        client.topics = (names.isEmpty ? certificate.userID.map { [$0] } ?? [] : names).map { Array($0.utf8) }
        try trust()
        return true
    }

    func channelReadComplete(context: ChannelHandlerContext) { flush(context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isClosing = true
        context.close(promise: nil)
    }

    private func readRequests(_ context: ChannelHandlerContext) throws {
        while true {
            switch try tls.read(into: plaintext) {
            case .bytes(let count):
                try http.receive(UnsafeRawBufferPointer(rebasing: plaintext[..<count]))
                try judgeRequests(context)
            case .wantMore: return
            case .closed:
                isClosing = true
                return
            }
        }
    }

    /// Judges all requests of the burst, and answers them at once or later.
    private func judgeRequests(_ context: ChannelHandlerContext) throws {
        let now = milliseconds()
        var failure: (any Error)?
        let waiting = delayed.count
        simulator.withState { state in
            http.drainEvents { event in
                guard case .request(let request) = event, request.stream <= faultActions.lastStream else { return }
                do { try judge(request, state: &state, now: now, context: context) } catch { failure = error }
            }
            if isProven, !isTrusted {
                isTrusted = true
                do { try http.update(maxConcurrentStreams: state.maxStreams) } catch { failure = error }
            }
            simulator.burstEnded(&state)
        }
        if let failure { throw failure }
        for fault in faultActions.removeAfterBurst() { apply(fault, context) }
        if delayed.count > waiting { answerLater(delayed.count - waiting, context) }
    }

    private func judge(
        _ request: Request,
        state: inout SimulatorState.State,
        now: Int64,
        context: ChannelHandlerContext
    ) throws {
        let push = PushRequest(request)
        var plan = FaultPlan(delay: simulator.delay)
        if state.rules.faults.watchesRequests {
            plan = try faultPlan(
                of: push.path.dropFirst(bytes: 10), stream: request.stream, faults: &state.rules.faults,
                delay: simulator.delay, at: now)
            guard plan.isProcessed else { return try end(request.stream, plan) }
        }
        let id = push.canonicalID ?? ids.next()
        let verdict =
            if isForChannels {
                simulator.manage(push, on: &client, state: &state, now: now, skew: plan.skew, id: id)
            } else if BroadcastRules.isBroadcast(push) {
                simulator.broadcast(push, on: &client, state: &state, now: now, skew: plan.skew, id: id)
            } else {
                simulator.judge(push, on: &client, state: &state, now: now, skew: plan.skew, id: id)
            }
        if plan.isPlain, plan.delay == 0 { return try answer(request.stream, with: verdict, id: id) }
        let answer = Delayed(stream: request.stream, verdict: verdict, id: Array(id), frameBytes: plan.frameBytes)
        faultActions.lastPromised = max(faultActions.lastPromised, request.stream)
        if plan.isPlain {
            delayed.append(answer)
        } else {
            try deliver(answer, as: plan, context: context)
        }
    }

    /// True if a request has been accepted, so that the client may open as many streams as others.
    private var isProven = false

    private func trust() throws {
        isTrusted = true
        try http.update(maxConcurrentStreams: simulator.withState { $0.maxStreams })
    }

    private func answer(
        _ stream: Int32, with verdict: Verdict, id: UnsafeRawBufferPointer, frameBytes: Int = .max
    ) throws {
        do {
            switch verdict {
            case .accepted:
                isProven = true
                try http.respond(to: stream, with: accepted, apnsID: id)
            case .rejected(let rejection):
                let (head, body) = try rejections.answer(to: rejection)
                try http.respond(to: stream, with: head, apnsID: id, body: body, frameBytes: frameBytes)
            case .replied(let reply):
                if reply.status < 300 { isProven = true }
                let (head, body) = try reply.prepared()
                try http.respond(to: stream, with: head, body: body, frameBytes: frameBytes)
            }
        } catch HTTP2Error.unknownStream {
            // The client has cancelled the stream meanwhile.
        }
    }

    func answer(_ delayed: Delayed) throws {
        var failure: (any Error)?
        delayed.id.withUnsafeBytes { id in
            do {
                try answer(delayed.stream, with: delayed.verdict, id: id, frameBytes: delayed.frameBytes)
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func answerLater(_ count: Int, _ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(simulator.delay)) {
            let (connection, context) = loopBound.value
            connection.answerDelayed(count, context)
        }
    }

    private func answerDelayed(_ count: Int, _ context: ChannelHandlerContext) {
        let due = Array(delayed.prefix(count))
        delayed.removeFirst(due.count)
        answer(due, context)
    }

    /// Sends answers that have waited.
    func answer(_ due: [Delayed], _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            for one in due { try answer(one) }
            if isProven, !isTrusted { try trust() }
            flush(context)
        } catch {
            end(error, context)
        }
    }

    private func run(_ command: SimulatorState.Command, _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            switch command {
            case .maxStreams(let limit): if isTrusted { try http.update(maxConcurrentStreams: limit) }
            case .fault(let action): apply(action, context)
            case .calm: endFaults(context)
            }
            flush(context)
        } catch {
            end(error, context)
        }
    }

    /// Sends a GOAWAY if `error` has one, and closes.
    private func end(_ error: any Error, _ context: ChannelHandlerContext) {
        if isClosing { return }
        if error is HTTP2Error { simulator.withState { $0.violations += 1 } }
        if case HTTP2Error.tooManyStreams = error {
            let text = Array("Maximum active streams violated for this endpoint.".utf8)
            try? http.goAway(lastStreamID: http.lastStreamID, code: .refusedStream, debugData: text)
        }
        isClosing = true
        flush(context)
    }

    /// Sends all bytes of TLS and HTTP/2 in one write, and closes if the connection is at its end.
    func flush(_ context: ChannelHandlerContext) {
        if faultActions.isFrozen { return }
        do {
            if isOpen, !faultActions.bytes.isEmpty {
                // HTTP/2 has nothing left to send: one frame ends here and the next begins.
                try faultActions.removeBytes().withUnsafeBytes { try tls.write($0) }
            }
            while isOpen, case let count = try http.fill(outgoing), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: outgoing[..<count]))
            }
        } catch {
            isClosing = true
        }
        if isOpen, !http.wantsRead, !http.wantsWrite { isClosing = true }
        if isClosing { tls.sendCloseNotify() }
        let size = tls.pendingCiphertextBytes
        if size > 0 {
            var buffer = context.channel.allocator.buffer(capacity: size)
            tls.takeCiphertext { _ = buffer.writeBytes($0) }
            context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
        }
        if isClosing { context.close(promise: nil) }
    }

    /// Writes bytes without TLS.
    private func writeRaw(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }
}

extension Reply {
    /// The answer in the form that HTTP/2 needs.
    fileprivate func prepared() throws(HTTP2Error) -> (PreparedAnswer, PreparedBody?) {
        let head = try PreparedAnswer(status: status, fields: fields)
        return (head, body.isEmpty ? nil : PreparedBody(body.utf8))
    }

    private var fields: [HeaderField] {
        var fields = [HeaderField("apns-request-id", requestID)]
        if let uniqueID { fields.append(HeaderField("apns-unique-id", uniqueID)) }
        if let channelID { fields.append(HeaderField("apns-channel-id", channelID)) }
        if let retryAfter { fields.append(HeaderField("retry-after", retryAfter)) }
        if status >= 400 { fields.append(HeaderField("content-type", "application/json")) }
        return fields
    }
}
