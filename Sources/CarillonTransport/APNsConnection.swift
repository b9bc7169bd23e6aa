import CarillonAPNs
import CarillonCore
import CarillonHTTP2
import Logging
import NIOCore

/// One connection to APNs: deliveries to requests, and the ends of streams to verdicts, on one event loop.
///
/// After each burst of reading it takes one *turn*: gives back what was answered, pulls as much as there are free streams,
/// and writes everything as one piece. Decisions are `ConnectionMachine`'s, bytes are `SecureHTTP2`'s.
final class APNsConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What the pool is told.
    struct Observer: Sendable {
        /// The SETTINGS of APNs have come.
        var greeted: @Sendable () -> Void
        /// The connection has shown that it works.
        var opened: @Sendable () -> Void
        /// It takes no new work; said once, at the latest when it is over.
        var left: @Sendable (_ wasOpened: Bool) -> Void
        /// All of its streams are in use and there may be more work.
        var saturated: @Sendable () -> Void
        /// APNs has refused the credential.
        var credentialRefused: @Sendable (_ reason: String) -> Void
        /// It no longer takes the whole interactive lane: the others are to take of it.
        var interactiveLeft: @Sendable () -> Void
        /// It has ended, by no doing of ours, while these were not answered; said before they are given back.
        var endedUnder: @Sendable (_ attempts: [Attempt]) -> Void
    }

    /// What the pool tells a connection, as a user event of its channel.
    enum Order: Sendable {
        /// There is work.
        case takeWork
        /// Take no new work; what is in flight is awaited, then the connection closes.
        case drain
        /// Take no more than that many pushes a second; nothing = as many as there are streams.
        case ration(Int?)
        /// Take pushes of the bulk lane too, or leave them to others.
        case takeBulk(Bool)
    }

    private let upstream: Upstream
    private let source: any DeliverySource
    private let observer: Observer
    private let metrics: PoolMetrics
    private let figures: ConnectionStatistics
    private let answerLimit: UInt64
    private let logger: Logger
    private var machine: ConnectionMachine
    private var wire: SecureHTTP2?
    private var context: ChannelHandlerContext?
    private var ticker: RepeatedTask?

    private var inFlight = InFlightTable()
    private var prepared = PreparedMessages()
    private var results: [DeliveryResult] = []
    /// Of the results, those that APNs did not answer with 200: counted where it costs, on the way of what goes wrong.
    private var notDelivered = 0
    /// Of these, those without any answer, and those with the answer that APNs is busy.
    private var notAnswered = 0
    private var busy = 0
    private var pulled: [Delivery] = []
    private var hasOpened = false
    private var hasLeft = false
    private var isClosing = false
    /// Whether it is writing, and whether the channel has taken so much meanwhile that it takes more again.
    private var isFlushing = false
    private var hasRoomAgain = false
    /// Whether the connection ends for a reason that has nothing to do with what it carries.
    private var hasGoodEnd = false
    private var ration = Ration()
    private var takesBulk = true
    /// Who takes the interactive lane while bulk goes over the others.
    private let seat: InteractiveLaneOwner
    private var flow = InteractiveFlow()
    private var answers = 0
    /// How many pushes APNs takes at once, as the pool was told.
    private var streams = 0
    private let path = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)
    private let identifier = UnsafeMutableRawBufferPointer.allocate(
        byteCount: NotificationID.textBytes,
        alignment: 16
    )

    /// How often deadlines are looked at; they are seconds, so a quarter of one is fine enough.
    private static let tick = TimeAmount.milliseconds(250)
    /// Pushes submitted before full records are written: one record's worth. A thousand that wait in nghttp2 together would
    /// have been sorted, and have left the processor's caches, when their turn comes.
    private static let pushesBetweenWrites = 40

    init(
        _ upstream: Upstream,
        limits: ConnectionMachine.Limits,
        source: any DeliverySource,
        observer: Observer,
        metrics: PoolMetrics,
        figures: ConnectionStatistics,
        seat: InteractiveLaneOwner,
        logger: Logger
    ) {
        self.seat = seat
        self.upstream = upstream
        self.source = source
        self.observer = observer
        self.metrics = metrics
        self.figures = figures
        self.logger = logger
        answerLimit = limits.answer
        machine = ConnectionMachine(
            limits: limits,
            usesToken: upstream.usesToken,
            now: Clock.now().uptimeMilliseconds
        )
        PushRequest.pathPrefix.withUnsafeBytes { path.copyMemory(from: $0) }
    }

    deinit {
        path.deallocate()
        identifier.deallocate()
    }

    // MARK: The channel

    /// The channel is connected already; if it is over again, `handlerRemoved` says so.
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { connected(context) }
    }

    private func connected(_ context: ChannelHandlerContext) {
        guard wire == nil else { return }
        machine.connected(at: Clock.now().uptimeMilliseconds)
        // First of all: what follows may close the connection, and the end cancels the ticker.
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ticker = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { _ in
            bound.value.ticked()
        }
        do {
            let wire = try SecureHTTP2(upstream.tls, serverName: upstream.serverName)
            self.wire = wire
            try advanceHandshake(wire)
        } catch {
            fail("TLS cannot begin", error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard let wire, !isClosing else { return }
        machine.heard(at: Clock.now().uptimeMilliseconds)
        do {
            try wire.receive(buffer)
            if wire.http2 == nil { try advanceHandshake(wire) }
            if let http2 = wire.http2 { try read(wire, http2) }
        } catch {
            // TLS or HTTP/2 may have a last word for the peer: an alert, a GOAWAY.
            flush()
            fail("the peer broke the protocol", error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        turn()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            if isFlushing { hasRoomAgain = true } else { turn() }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case Order.takeWork: turn()
        case Order.drain: drain()
        case Order.ration(let rate): ration.rate = rate
        case Order.takeBulk(let takes): takeBulk(takes)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("the connection broke", error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closed()
        self.context = nil
    }

    // MARK: What comes

    private func advanceHandshake(_ wire: SecureHTTP2) throws {
        if try wire.advanceHandshake() { machine.secured(at: Clock.now().uptimeMilliseconds) }
        flush()
    }

    private func read(_ wire: SecureHTTP2, _ http2: HTTP2ClientSession) throws {
        while true {
            switch try wire.read() {
            case .more: handleEvents(http2)
            case .end: return
            // Waiting for answers would be in vain.
            case .closed: return close()
            }
        }
    }

    private func handleEvents(_ http2: HTTP2ClientSession) { handleEvents(http2, &inFlight, &results) }

    /// Borrows what each answer changes once for all of them: checked access to a property costs as much as the change.
    private func handleEvents(
        _ http2: HTTP2ClientSession,
        _ inFlight: inout InFlightTable,
        _ results: inout [DeliveryResult]
    ) {
        let now = Clock.now()
        http2.drainEvents { event, bytes in
            switch event {
            case .streamClosed(let end):
                let open = inFlight.count
                guard let attempt = inFlight.remove(end.tag) else { return }
                results.append(DeliveryResult(attempt, verdict(on: end, bytes, open: open, now)))
            case .settings(let settings):
                if machine.state == .greeting { observer.greeted() }
                machine.settingsReceived(
                    maxConcurrentStreams: settings.maxConcurrentStreams,
                    at: now.uptimeMilliseconds
                )
                if hasOpened { tellStreams(machine.streamAllowance(open: 0)) }
            case .goAway(let goAway):
                goAwayReceived(goAway, bytes, now)
            case .pingAcknowledged:
                machine.pingAcknowledged(at: now.uptimeMilliseconds)
            case .settingsAcknowledged:
                break
            }
        }
    }

    /// What the end of a stream means for its delivery; the machine hears of it.
    private func verdict(on end: StreamEnd, _ body: UnsafeRawBufferPointer, open: Int, _ now: Moment) -> Verdict {
        if end.status == 200 {
            machine.delivered(at: now.uptimeMilliseconds)
            openedIfReady()
            return .delivered
        }
        let verdict = verdictOnFailure(end, body, open: open, now)
        fellShort(verdict)
        return verdict
    }

    private func verdictOnFailure(
        _ end: StreamEnd, _ body: UnsafeRawBufferPointer, open: Int, _ now: Moment
    ) -> Verdict {
        if end.status != 0 {
            let answer = Answer(status: end.status, body: body, retryAfter: end.retryAfter, now: now.wall)
            answered(answer, now)
            return answer.verdict
        }
        guard end.wasSent else { return .notProcessed }
        if machine.unanswered(open: open, at: now.uptimeMilliseconds) == .drain {
            logger.warning("connection is replaced: APNs answers nothing", metadata: ["code": "\(end.errorCode)"])
            leave()
        }
        return end.errorCode == .refusedStream ? .notProcessed : .unknown
    }

    /// A delivery comes back that was not delivered.
    private func fellShort(_ verdict: Verdict) {
        notDelivered += 1
        switch verdict {
        case .notProcessed, .unknown: notAnswered += 1
        case .tryLater: busy += 1
        case .delivered, .refused, .credentialRefused: break
        }
        metrics.ended(verdict)
    }

    private func returnUndelivered(_ attempt: Attempt, _ verdict: Verdict) {
        fellShort(verdict)
        results.append(DeliveryResult(attempt, verdict))
    }

    private func answered(_ answer: Answer, _ now: Moment) {
        metrics.answered(answer)
        logger.debug(
            "APNs refused a push",
            metadata: ["status": "\(answer.status)", "reason": "\(answer.reason ?? "none")"]
        )
        if answer.consequence == .renewToken, case .token(let tokens) = upstream.authorization {
            // Why not thrown: the next request asks for the token again and fails the connection if it must.
            _ = try? tokens.token(at: now, isRefused: true)
        }
        if answer.consequence == .stopCredential { observer.credentialRefused(answer.reason ?? "\(answer.status)") }
        if machine.answered(answer, at: now.uptimeMilliseconds) == .drain {
            logger.info("connection is replaced", metadata: ["reason": "\(answer.reason ?? "\(answer.status)")"])
            leave()
        }
        if answer.consequence != .serverError { openedIfReady() }
    }

    private func goAwayReceived(_ goAway: CarillonHTTP2.GoAway, _ debugData: UnsafeRawBufferPointer, _ now: Moment) {
        let reason = Answer.parse(debugData).reason
        logger.info(
            "APNs sent GOAWAY",
            metadata: [
                "code": "\(goAway.errorCode)", "last-stream": "\(goAway.lastStreamID)", "reason": "\(reason ?? "none")",
            ]
        )
        if reason == "BadCertificate" || reason == "BadCertificateEnvironment" {
            observer.credentialRefused(reason ?? "")
        }
        if goAway.errorCode == .noError { hasGoodEnd = true }
        machine.drainingBegan(at: now.uptimeMilliseconds)
        leave()
    }

    /// Only an answer shows that a connection works: one that is thrown out after its SETTINGS has failed, and the next
    /// attempt waits longer.
    private func openedIfReady() {
        guard !hasOpened, machine.state == .open else { return }
        hasOpened = true
        tellStreams(machine.streamAllowance(open: 0))
        observer.opened()
    }

    private func tellStreams(_ now: Int) {
        metrics.streamsChanged(by: now - streams)
        streams = now
    }

    // MARK: A turn

    /// Gives back what was answered, takes new work, writes.
    private func turn() {
        guard let http2 = wire?.http2, let context, !isClosing else { return giveBack() }
        giveBack()
        if context.channel.isWritable { pull(http2) }
        flush()
        // Streams may end in writing too, and pushes before it: their slots are taken again in the next turn.
        if http2.hasEvents || !results.isEmpty { endedInWriting(http2) }
        figures.stands(waiting: inFlight.count, streams: machine.streamLimit)
        if !takesBulk && !hasLeft { takeSeat(http2, context) }
        if machine.state == .draining && inFlight.count == 0 { close() }
    }

    private func endedInWriting(_ http2: HTTP2ClientSession) {
        handleEvents(http2)
        guard !results.isEmpty else { return }
        giveBack()
        context?.eventLoop.assumeIsolated().execute { self.turn() }
    }

    private func giveBack() {
        guard !results.isEmpty else { return }
        answers &+= results.count - notAnswered
        metrics.givenBack(results.count, delivered: results.count - notDelivered)
        figures.answered(results.count - notAnswered, busy: busy)
        (notDelivered, notAnswered, busy) = (0, 0, 0)
        source.completed(results, for: upstream.key)
        results.removeAll(keepingCapacity: true)
    }

    private func pull(_ http2: HTTP2ClientSession) {
        // A used-up connection window holds back the bodies: more streams would only wait with their slots taken.
        guard http2.canSubmit, http2.remoteConnectionWindow > 0 else { return leaveIfExhausted(http2) }
        var allowance = min(machine.streamAllowance(open: http2.openStreams), http2.availableStreams)
        if ration.rate != nil, let rest = ration.allowance(at: Clock.now().uptimeMilliseconds) {
            allowance = min(allowance, rest)
        }
        guard allowance > 0 else { return }
        let limits = PullLimits(
            allowance, interactive: takesBulk && seat.isFilled ? 0 : allowance,
            bulk: takesBulk ? max(0, allowance - machine.interactiveStreams) : 0)
        source.pull(for: upstream.key, limits, into: &pulled)
        guard !pulled.isEmpty else { return }
        metrics.submitted(pulled.count)
        ration.sent(pulled.count)
        submitPulled(http2)
        let most = takesBulk ? min(allowance, max(1, limits.bulk)) : allowance
        if pulled.count >= most && machine.state == .open { observer.saturated() }
        pulled.removeAll(keepingCapacity: true)
    }

    /// Stream ids end after 2³⁰ requests: then the connection is replaced.
    private func leaveIfExhausted(_ http2: HTTP2ClientSession) {
        guard !http2.canSubmit, machine.state == .open || machine.state == .probing else { return }
        machine.drainingBegan(at: Clock.now().uptimeMilliseconds)
        leave()
    }

    private func submitPulled(_ http2: HTTP2ClientSession) {
        let now = Clock.now()
        do {
            let token: ProviderTokenSource.Token? =
                switch upstream.authorization {
                case .token(let tokens): try tokens.token(at: now)
                case .certificate: nil
                }
            for start in stride(from: 0, to: pulled.count, by: Self.pushesBetweenWrites) {
                let deliveries = pulled[start..<min(start + Self.pushesBetweenWrites, pulled.count)]
                // Writing may have failed and ended everything.
                guard !isClosing else {
                    for delivery in deliveries { returnUndelivered(delivery.attempt, .notProcessed) }
                    continue
                }
                submit(deliveries, http2, token, now.uptimeMilliseconds, &inFlight, &prepared)
                write(untilEmpty: false)
            }
        } catch {
            logger.error("the provider token cannot be signed", metadata: ["error": "\(error)"])
            for delivery in pulled { returnUndelivered(delivery.attempt, .credentialRefused) }
            observer.credentialRefused("the key does not sign")
            machine.drainingBegan(at: now.uptimeMilliseconds)
            leave()
        }
    }

    /// Looks up a message once for all of its deliveries that follow one another, which in a fan-out is the whole turn.
    private func submit(
        _ deliveries: ArraySlice<Delivery>,
        _ http2: HTTP2ClientSession,
        _ token: ProviderTokenSource.Token?,
        _ now: UInt64,
        _ inFlight: inout InFlightTable,
        _ prepared: inout PreparedMessages
    ) {
        var next = deliveries.startIndex
        while next < deliveries.endIndex {
            let (first, body) = (deliveries[next], deliveries[next].body)
            do throws(HTTP2Error) {
                let message = try prepared.prepared(first.message, body: body, upstream, token: token)
                repeat {
                    submit(deliveries[next], message, http2, now, &inFlight)
                    next += 1
                } while next < deliveries.endIndex && deliveries[next].message === first.message
                    && deliveries[next].body == body
            } catch {
                notSubmitted(first, error, now)
                next += 1
            }
        }
    }

    @inline(__always)
    private func submit(
        _ delivery: Delivery,
        _ message: PreparedMessages.Prepared,
        _ http2: HTTP2ClientSession,
        _ now: UInt64,
        _ inFlight: inout InFlightTable
    ) {
        let pathBytes = writePath(delivery)
        let id = NotificationID.derive(epoch: upstream.epoch, message: delivery.message.id, device: delivery.device)
        NotificationID.write(id, into: identifier.baseAddress.unsafelyUnwrapped)
        let slot = inFlight.insert(delivery.attempt, at: now)
        do throws(HTTP2Error) {
            let stream = try http2.submit(
                headers: message.headers,
                path: UnsafeRawBufferPointer(rebasing: path[..<pathBytes]),
                apnsID: UnsafeRawBufferPointer(identifier),
                body: message.body,
                tag: UInt64(slot)
            )
            inFlight.setStream(stream, of: slot)
        } catch {
            _ = inFlight.remove(UInt64(slot))
            notSubmitted(delivery, error, now)
        }
    }

    private func notSubmitted(_ delivery: Delivery, _ error: HTTP2Error, _ now: UInt64) {
        logger.warning("a push could not be submitted", metadata: ["error": "\(error)"])
        switch error {
        case .invalidHeader, .requestTooLong:
            // It is the push: on another connection it would fare no better, for ever.
            returnUndelivered(delivery.attempt, .refused(.badRequest, deadSince: nil))
        default:
            returnUndelivered(delivery.attempt, .notProcessed)
            machine.drainingBegan(at: now)
            leave()
        }
    }

    /// Writes `/3/device/<token in hexadecimal>` and returns its length.
    private func writePath(_ delivery: Delivery) -> Int {
        let prefix = PushRequest.pathPrefix.count
        return delivery.page.withToken(at: delivery.index) { token in
            // Safety: `path` has room for the prefix and two digits for each byte of the longest token.
            Hexadecimal.write(token, into: path.baseAddress.unsafelyUnwrapped + prefix)
            return prefix + 2 * token.count
        }
    }

    /// Writes what HTTP/2 and TLS have, as far as the channel takes it; the rest goes when it takes more.
    private func flush() {
        guard let wire, let context, !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        var isDone = false
        repeat {
            isDone = write(untilEmpty: true)
            wire.writeCiphertext(to: context)
            context.flush()
        } while !isDone && context.channel.isWritable
        guard hasRoomAgain else { return }
        hasRoomAgain = false
        // There may be work that was not asked for while there was no room.
        context.eventLoop.assumeIsolated().execute { self.turn() }
    }

    /// Encrypts what HTTP/2 has to send: full records, and at the end what is left; false if the channel takes no more.
    @discardableResult
    private func write(untilEmpty isEnd: Bool) -> Bool {
        guard let wire, let context else { return true }
        do {
            return try wire.write(untilEmpty: isEnd, to: context)
        } catch {
            fail("bytes cannot be written", error)
            return true
        }
    }

    // MARK: Time and the end

    private func ticked() {
        let now = Clock.now().uptimeMilliseconds
        if let http2 = wire?.http2, now > answerLimit {
            let overdue = inFlight.takeOverdue(startedBefore: now - answerLimit)
            if !overdue.isEmpty {
                logger.warning("pushes were not answered in time", metadata: ["count": "\(overdue.count)"])
                // Why not thrown: a stream that is gone has its event already. The others end in the turn below.
                for stream in overdue { try? http2.cancel(stream: stream) }
            }
        }
        switch machine.timerFired(isWaiting: inFlight.count > 0, at: now) {
        case .wait: break
        case .ping(let payload):
            // Why not thrown: a session that cannot ping is closed by the next deadline.
            try? wire?.http2?.ping(payload)
        case .close(let reason):
            logger.warning("connection timed out", metadata: ["wait": "\(reason)"])
            hasGoodEnd = true
            return close()
        }
        turn()
    }

    private func takeBulk(_ takes: Bool) {
        takesBulk = takes
        if takes { leaveSeat() }
        // There may be some that it has left to others.
        turn()
    }

    /// Without bulk in its way, takes the whole interactive lane as long as it keeps up.
    private func takeSeat(_ http2: HTTP2ClientSession, _ context: ChannelHandlerContext) {
        let canTake =
            machine.streamAllowance(open: http2.openStreams) > 0 && http2.remoteConnectionWindow > 0
            && context.channel.isWritable && ration.rate == nil
        let keepsUp = flow.turned(
            answers: answers, waiting: inFlight.count, canTake: canTake, at: Clock.now().uptimeMilliseconds)
        if seat.fill(keepsUp) { observer.interactiveLeft() }
    }

    private func leaveSeat() {
        if seat.fill(false) { observer.interactiveLeft() }
    }

    private func drain() {
        machine.drainingBegan(at: Clock.now().uptimeMilliseconds)
        leave()
        if inFlight.count == 0 { close() }
    }

    private func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        if !takesBulk { leaveSeat() }
        tellStreams(0)
        observer.left(hasOpened)
    }

    private func fail(_ what: Logger.Message, _ error: any Error) {
        guard !isClosing else { return }
        logger.warning(what, metadata: ["error": "\(error)"])
        close()
    }

    private func close() {
        guard !isClosing else { return }
        isClosing = true
        if let wire, let context {
            flush()
            wire.end(to: context)
            context.flush()
        }
        context?.close(promise: nil)
    }

    private func closed() {
        guard machine.state != .closed else { return }
        machine.closed()
        isClosing = true
        ticker?.cancel()
        ticker = nil
        if let http2 = wire?.http2 {
            // Streams that have ended and were not looked at: they are open no more, and not given back yet.
            handleEvents(http2)
            http2.close()
            var unanswered: [Attempt] = []
            http2.forEachOpenStream { tag, _, wasSent in
                guard let attempt = inFlight.remove(tag) else { return }
                returnUndelivered(attempt, wasSent ? .unknown : .notProcessed)
                if wasSent { unanswered.append(attempt) }
            }
            if !hasGoodEnd { observer.endedUnder(unanswered) }
        }
        leave()
        giveBack()
    }
}

extension Delivery {
    /// Which payload it gets.
    fileprivate var body: UInt8 { page.recipients[index].body }
}
