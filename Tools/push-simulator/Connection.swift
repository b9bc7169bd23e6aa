import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator
import CarillonTLS
import NIOCore

/// One accepted connection: TLS and HTTP/2 in one handler, with the habits of Google's front end.
///
/// It decides nothing about messages: `SimulatorState.reply` does.
final class Connection: ChannelInboundHandler, FaultyConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let simulator: SimulatorState
    private let tls: TLSSession
    let http: HTTP2ServerSession
    private let number: Int
    private var hasGreeted = false
    private var isOpen = false
    var isClosing = false
    var faultActions = FaultActions<Delayed>()
    private var idleTimer: Scheduled<Void>?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)

    private static let bufferSize = 64 << 10

    /// An answer that is sent later.
    struct Delayed: DelayedAnswer {
        var stream: Int32
        var reply: Reply
        var frameBytes = Int.max
    }

    /// - Parameter faults: the faults that happen as soon as TCP is connected.
    init(simulator: SimulatorState, context: TLSContext, number: Int, faults: [Fault.Action]) throws {
        self.simulator = simulator
        self.number = number
        var context = context
        for case .tls(let other) in faults { context = other }
        faultActions.atAccept = faults
        tls = try TLSSession(server: context)
        var settings = ServerSettings()
        settings.maxConcurrentStreams = simulator.withState { $0.maxStreams }
        settings.connectionWindowSize = 1 << 20
        settings.maximumBodyBytes = 16 << 10
        http = try HTTP2ServerSession(settings: settings)
    }

    deinit { buffer.deallocate() }

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
        idleTimer?.cancel()
        http.close()
        simulator.withState { $0.connections[number] = nil }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if faultActions.reader != nil { faultActions.unread.writeBuffer(&bytes) } else { receive(bytes, context) }
    }

    func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if isClosing || faultActions.isFrozen { return }
        if let hello = faultActions.hello {
            return context.writeAndFlush(
                wrapOutboundOut(context.channel.allocator.buffer(bytes: hello)), promise: nil)
        }
        do {
            try bytes.withUnsafeReadableBytes { try tls.receive(ciphertext: $0) }
            if !isOpen {
                if !hasGreeted { hasGreeted = try tls.answerHello() }
                guard hasGreeted, try tls.handshake() == .complete else { return }
                isOpen = true
                for fault in simulator.faults(at: .open) { apply(fault, context) }
                if isClosing || faultActions.isFrozen { return }
            }
            try readRequests(context)
            awaitIdleness(context)
        } catch {
            end(error, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { flush(context) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isClosing = true
        context.close(promise: nil)
    }

    private func readRequests(_ context: ChannelHandlerContext) throws {
        while true {
            switch try tls.read(into: buffer) {
            case .bytes(let count):
                try http.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                try judgeRequests(context)
                if http.receivedPings > simulator.maximumPings {
                    return try refuse(.enhanceYourCalm, debugData: "too_many_pings", on: context)
                }
            case .wantMore: return
            case .closed:
                isClosing = true
                return
            }
        }
    }

    private func judgeRequests(_ context: ChannelHandlerContext) throws {
        let now = milliseconds()
        var failure: (any Error)?
        simulator.withState { state in
            http.drainEvents { event in
                guard case .request(let request) = event, request.stream <= faultActions.lastStream else { return }
                do { try judge(request, state: &state, now: now, context: context) } catch { failure = error }
            }
            simulator.burstEnded(&state)
        }
        if let failure { throw failure }
        for fault in faultActions.removeAfterBurst() { apply(fault, context) }
    }

    private func judge(
        _ request: Request, state: inout SimulatorState.State, now: Int64, context: ChannelHandlerContext
    ) throws {
        let message = PushRequest(request)
        var plan = FaultPlan(delay: simulator.delay)
        if state.rules.faults.watchesRequests {
            plan = try SimulatorState.key(of: message).withUnsafeBytes { key in
                try faultPlan(
                    of: key, stream: request.stream, faults: &state.rules.faults, delay: simulator.delay, at: now)
            }
            guard plan.isProcessed else { return try end(request.stream, plan) }
        }
        let reply = simulator.reply(to: message, state: &state, at: now, skew: plan.skew)
        faultActions.lastPromised = max(faultActions.lastPromised, request.stream)
        let answer = Delayed(stream: request.stream, reply: reply, frameBytes: plan.frameBytes)
        if plan.isPlain, plan.delay == 0 { return try send(answer) }
        try deliver(answer, as: plan, context: context)
    }

    private func send(_ answer: Delayed) throws {
        let fields = answer.reply.fields.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
        let head = try PreparedAnswer(status: answer.reply.status, fields: fields)
        let body = PreparedBody(answer.reply.body.utf8)
        do throws(HTTP2Error) {
            try http.respond(to: answer.stream, with: head, body: body, frameBytes: answer.frameBytes)
        } catch {
            // The client may have cancelled the stream meanwhile.
            guard error == .unknownStream else { throw error }
        }
    }

    func answer(_ due: [Delayed], _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            for one in due { try send(one) }
            flush(context)
        } catch {
            end(error, context)
        }
    }

    private func run(_ command: SimulatorState.Command, _ context: ChannelHandlerContext) {
        if isClosing { return }
        do {
            switch command {
            case .maxStreams(let limit): try http.update(maxConcurrentStreams: limit)
            case .fault(let action): apply(action, context)
            case .calm: endFaults(context)
            }
            flush(context)
        } catch {
            end(error, context)
        }
    }

    /// A connection without requests for a while gets a GOAWAY.
    private func awaitIdleness(_ context: ChannelHandlerContext) {
        idleTimer?.cancel()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        idleTimer = context.eventLoop.scheduleTask(in: .milliseconds(simulator.idleMilliseconds)) {
            let (connection, context) = loopBound.value
            guard !connection.isClosing else { return }
            guard connection.http.openStreams == 0 else { return connection.awaitIdleness(context) }
            try? connection.http.goAway(
                lastStreamID: connection.http.lastStreamID, code: .noError,
                debugData: Array("session_timed_out".utf8))
            connection.isClosing = true
            connection.flush(context)
        }
    }

    /// Ends the connection because the client has broken a rule of the front end.
    private func refuse(_ code: ErrorCode, debugData text: String, on context: ChannelHandlerContext) throws {
        simulator.withState { $0.violations += 1 }
        try http.goAway(lastStreamID: http.lastStreamID, code: code, debugData: Array(text.utf8))
        isClosing = true
        flush(context)
    }

    /// Sends a GOAWAY if `error` has one, and closes.
    private func end(_ error: any Error, _ context: ChannelHandlerContext) {
        if isClosing { return }
        if case HTTP2Error.tooManyStreams = error {
            try? refuse(.protocolError, debugData: "exceeded_max_concurrent_streams", on: context)
        } else if error is HTTP2Error {
            simulator.withState { $0.violations += 1 }
        }
        isClosing = true
        flush(context)
    }

    func flush(_ context: ChannelHandlerContext) {
        if faultActions.isFrozen { return }
        do {
            if isOpen, !faultActions.bytes.isEmpty {
                // HTTP/2 has nothing left to send: one frame ends here and the next begins.
                try faultActions.removeBytes().withUnsafeBytes { try tls.write($0) }
            }
            while isOpen, case let count = try http.fill(buffer), count > 0 {
                try tls.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            isClosing = true
        }
        if isOpen, !http.wantsRead, !http.wantsWrite { isClosing = true }
        if isClosing { tls.sendCloseNotify() }
        let size = tls.pendingCiphertextBytes
        if size > 0 {
            var bytes = context.channel.allocator.buffer(capacity: size)
            tls.takeCiphertext { _ = bytes.writeBytes($0) }
            context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }
        if isClosing { context.close(promise: nil) }
    }
}
