import CarillonClock
import CarillonCore
import CarillonSession
import CarillonTLSChannel
import CarillonWire
import CoreMetrics
import Logging
import NIOCore

/// The channel of one session: bytes in and out, back-pressure, the session's deadlines and its end.
final class SessionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let dependencies: SessionDependencies
    private let id: ConnectionAdmission.ID
    private let usesTLS: Bool
    private let dispatcher: RequestDispatcher
    /// True if a read of the socket was deferred (`read`).
    private var isReadDeferred = false
    /// True while `readAll` runs: it sends the output itself.
    private var isReading = false
    private var isInputClosed = false
    private var isInactive = false
    /// The graceful close; set at the end of the session.
    private var closing: GracefulClose?
    /// True if the connection limiter counts this connection as half-open.
    private var isHalfOpen = true
    /// The counter of the principal's requests, and the number of this connection's requests that it contains.
    private var requestCounter: (counter: Counter, counted: UInt64)?
    private var timer: (at: Uptime, task: Scheduled<Void>)?
    /// The timer that ends the connection if the client does not read its answers.
    private var stallTimer: Scheduled<Void>?
    private var logger: Logger

    /// Makes the handler of a channel, with its dispatcher.
    ///
    /// - Parameter clientAddress: the client, as the log shows it; nil for the address of the channel.
    init(
        _ dependencies: SessionDependencies, channel: any Channel, id: ConnectionAdmission.ID, usesTLS: Bool,
        clientAddress: String? = nil
    ) {
        self.dependencies = dependencies
        self.id = id
        self.usesTLS = usesTLS
        logger = dependencies.logger
        let clientAddress = clientAddress ?? channel.clientAddress
        logger[metadataKey: "client"] = "\(clientAddress)"
        dispatcher = RequestDispatcher(dependencies, channel: channel, clientAddress: clientAddress, logger: logger)
    }

    private var hasEnded: Bool { isInactive || closing != nil }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        dispatcher.setHandlers(
            onOutputPending: { [unowned self] in applySessionState(context) },
            onReadingAllowed: { [unowned self] in readingAllowed(context) })
        dispatcher.events.onEvents = { [unowned self] in sendEvents(context) }
        if context.channel.isActive && !usesTLS { transportReady(context, identity: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Completions may come later; the context is gone.
        dispatcher.setHandlers(onOutputPending: nil, onReadingAllowed: nil)
        dispatcher.events.onEvents = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        if !usesTLS { transportReady(context, identity: nil) }
        context.fireChannelActive()
    }

    private func transportReady(_ context: ChannelHandlerContext, identity: ClientIdentity?) {
        dispatcher.transportReady(identity: identity)
        scheduleTimer(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let handshake as TLSHandshakeCompleted:
            handshakeCompleted(handshake, in: context)
        case let drain as BeginDraining:
            guard dispatcher.session.isTransportReady else { return context.close(promise: nil) }
            dispatcher.beginDraining(reconnectAfterMilliseconds: drain.reconnectAfterMilliseconds)
            applySessionState(context)
        case let displaced as ConnectionDisplaced:
            closeForNewerConnection(context, limit: displaced.limit)
        case let change as ClientsChanged:
            if dispatcher.clientsChanged(change) { applySessionState(context) }
        case ChannelEvent.inputClosed:
            isInputClosed = true
            if let closing { return closing.inputClosed() }
            readAll(context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func handshakeCompleted(_ handshake: TLSHandshakeCompleted, in context: ChannelHandlerContext) {
        // The TLS context is the one of the accept. A client that sends its certificate only after a reload would be
        // judged by authorities that are no longer trusted.
        let isTrustCurrent = dependencies.authoritiesHash == dependencies.authenticator.authoritiesHash
        guard handshake.peerCertificate == nil || isTrustCurrent else {
            logger.notice("the trusted authorities have changed during the handshake: the client must connect again")
            return context.close(promise: nil)
        }
        transportReady(context, identity: handshake.peerCertificate.map { ClientIdentity($0) })
        readAll(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        dispatcher.append(unwrapInboundIn(data))
        readAll(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            stallTimer?.cancel()
            stallTimer = nil
            dispatcher.outputResumed()
            sendEvents(context)
            dispatcher.startLongRead()
            readAll(context)
            resumeReading(context)
        } else if stallTimer == nil {
            let channel = context.channel
            stallTimer = context.eventLoop.scheduleTask(in: GracefulClose.stallTimeout) {
                channel.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("connection broke", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Completions that come later must not start a timer again.
        isInactive = true
        timer?.task.cancel()
        stallTimer?.cancel()
        dispatcher.end()
        dependencies.limiter.connectionEnded(id)
        context.fireChannelInactive()
    }

    /// Closes the connection, which gives way to a new one. It is no longer counted, so it closes without waiting: the
    /// error reaches the client only if there is room in its socket.
    private func closeForNewerConnection(_ context: ChannelHandlerContext, limit: ConnectionLimit) {
        if !hasEnded, dispatcher.session.isTransportReady {
            dispatcher.refuseConnection(.tooManyConnections("a newer connection takes its room", limit: limit))
            flush(context)
        }
        context.close(promise: nil)
    }

    // MARK: Reading

    /// Reads the socket, or defers the read while the session, the memory budget, or a client that does not take its
    /// answers forbids it.
    func read(context: ChannelHandlerContext) {
        if reserveForRead() {
            context.read()
        } else {
            isReadDeferred = true
        }
    }

    /// Returns true if the socket may be read now. Takes the memory that the read needs; stops the reading if the
    /// memory budget allows no more.
    private func reserveForRead() -> Bool { dispatcher.session.isClosed || dispatcher.reserveForSocketRead() }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadDeferred, reserveForRead() else { return }
        isReadDeferred = false
        context.read()
    }

    private func readAll(_ context: ChannelHandlerContext) {
        // A flush can make the channel writable again, which calls this again; the outer loop continues with the rest.
        guard !isReading, !hasEnded, dispatcher.session.isTransportReady else { return }
        isReading = true
        while context.channel.isWritable {
            dispatcher.readFrames(at: Clock.now())
            guard dispatcher.session.mustFlush else { break }
            flush(context)
        }
        isReading = false
        if isInputClosed { endInput(context) }
        dispatcher.releaseDecodedBytes()
        applySessionState(context)
    }

    /// Tells the session of the client's FIN after every whole frame before it was read. The socket passes on
    /// everything that is left when it sees the FIN, even while reading is deferred.
    private func endInput(_ context: ChannelHandlerContext) {
        guard dispatcher.mayRead, context.channel.isWritable else { return }
        dispatcher.inputClosed()
    }

    /// Goes on with events, reading and long reads: after completions were applied, after point reads were answered, or
    /// in the turn of the connection. `readAll` calls `applySessionState`.
    private func readingAllowed(_ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        if dispatcher.events.isActive { sendEvents(context) }
        readAll(context)
        dispatcher.startLongRead()
        resumeReading(context)
    }

    // MARK: Writing

    private func sendEvents(_ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        dispatcher.sendEvents()
        if !isReading { flush(context) }
    }

    private func flush(_ context: ChannelHandlerContext) {
        let bytes = dispatcher.takeOutput()
        guard !bytes.isEmpty else { return }
        logAnswers(bytes)
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
        dispatcher.measureOutput()
        // `sendEvents` stops when the output is full, so there may be more events.
        if bytes.count >= dispatcher.dependencies.limits.eventBytesWaiting, dispatcher.events.isActive,
            context.channel.isWritable
        {
            dispatcher.sendEvents()
            flush(context)
        }
    }

    /// Writes a line for each answer if the log has the level debug.
    private func logAnswers(_ bytes: [UInt8]) {
        guard logger.logLevel <= .debug else { return }
        for answer in LoggedAnswer.all(in: bytes) {
            var values: Logger.Metadata = [
                "request": "\(answer.id)", "operation": "\(answer.opcode.name)",
                "result": "\(answer.error?.name ?? "ok")",
            ]
            values["message"] = answer.message.map { "\($0)" }
            logger.debug("request answered", metadata: values)
        }
    }

    /// Brings the channel into the state of the session, which may have changed: sends its output, ends the connection
    /// if the session is closed, and sets the timer of its deadline.
    private func applySessionState(_ context: ChannelHandlerContext) {
        guard !isReading, !hasEnded, dispatcher.session.isTransportReady else { return }
        if isHalfOpen, let principal = dispatcher.session.principal {
            isHalfOpen = false
            dependencies.limiter.clientIdentified(id)
            requestCounter = (dependencies.metrics.requests(of: principal), 0)
            logger[metadataKey: "principal"] = "\(principal.name)"
            logger.debug("client is known")
        }
        countRequests()
        flush(context)
        if dispatcher.session.isClosed { return end(context) }
        dispatcher.giveBackExcess()
        scheduleTimer(context)
    }

    private func countRequests() {
        guard let (counter, counted) = requestCounter else { return }
        let count = dispatcher.session.requestCount
        guard count > counted else { return }
        counter.increment(by: Int64(clamping: count - counted))
        requestCounter = (counter, count)
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.task.cancel()
        dispatcher.end()
        let closing = GracefulClose(context.channel, isInputClosed: isInputClosed)
        self.closing = closing
        closing.begin(context)
        if isReadDeferred {
            isReadDeferred = false
            context.read()
        }
    }

    // MARK: Time

    private func scheduleTimer(_ context: ChannelHandlerContext) {
        guard let deadline = dispatcher.session.deadline else { return }
        if let timer, timer.at <= deadline { return }
        timer?.task.cancel()
        let now = Clock.uptime()
        let delay = TimeAmount.milliseconds(Int64(clamping: deadline.milliseconds(since: now)))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let task = context.eventLoop.scheduleTask(in: delay) { bound.value.0.timerFired(bound.value.1) }
        timer = (deadline, task)
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        dispatcher.timerFired()
        applySessionState(context)
    }
}
