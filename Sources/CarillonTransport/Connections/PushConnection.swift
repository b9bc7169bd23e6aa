import CarillonClock
import CarillonCore
import CarillonHTTP2
import CarillonProvider
import Logging
import NIOCore

/// One connection to a provider, on one event loop: it submits deliveries as requests, and the ends of streams become
/// results.
///
/// After each burst of reading it runs one *cycle*: it gives back results, pulls as many deliveries as there are free
/// streams, and writes everything at once. Decisions are made by `ConnectionMachine`, bytes go through `SecureHTTP2`,
/// requests are made by `PushSubmitter`. The meaning of the ends of streams is in `PushConnection+Events.swift`;
/// deadlines and the end of the connection are in `PushConnection+LifeCycle.swift`.
final class PushConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The callbacks of the connection group, called on the connection's event loop.
    struct Observer: Sendable {
        /// The SETTINGS of the provider were received.
        var settingsReceived: @Sendable () -> Void
        /// The connection has shown that it works.
        var opened: @Sendable () -> Void
        /// The connection takes no new work. Called once, at the latest when the connection is closed. `openedFor` are
        /// the milliseconds since `opened`, nil if that was not called.
        var retired: @Sendable (_ retirement: PoolMachine.Retirement, _ openedFor: UInt64?) -> Void
        /// All streams are in use, and there may be more work.
        var saturated: @Sendable () -> Void
        /// The peer takes nothing of the work that waits.
        var blocked: @Sendable () -> Void
        /// The provider has ended the connection because of the credential.
        var credentialRefused: @Sendable (_ reason: String) -> Void
        /// The provider has refused the provider token as expired, or as renewed too often.
        var tokenRefused: @Sendable (_ reason: String) -> Void
        /// The connection has given up the interactive lane: the other connections are to pull from the lane.
        var laneReleased: @Sendable () -> Void
        /// The connection has ended while these attempts had no answer, and one of them may be the reason. Called
        /// before they are given back.
        var endedUnder: @Sendable (_ attempts: [Attempt]) -> Void
    }

    /// A command of the connection group to a connection, sent as a user event of the channel.
    enum Command: Sendable {
        /// There is work.
        case pull
        /// Take no new work, await the answers in flight, and then close.
        case drain
        /// Submit at most that many pushes a window of that many milliseconds; nil = as many as there are streams.
        case limitRate(Int?, window: UInt64)
        /// Take pushes of the bulk lane too, or leave them to other connections.
        case carryBulk(Bool)
    }

    let upstream: Upstream
    /// The name of the provider in log lines.
    var provider: String { upstream.adapter.name }
    let observer: Observer
    let metrics: PoolMetrics
    let logger: Logger
    let log: ConnectionLog
    /// The number of the connection: `connection` in log lines and in TRACE.
    private let number: UInt32
    let source: any DeliverySource
    let statistics: ConnectionStatistics
    let answerMilliseconds: UInt64

    var machine: ConnectionMachine
    private(set) var secureHTTP2: SecureHTTP2?
    private(set) var context: ChannelHandlerContext?
    var ticker: RepeatedTask?

    var inFlight = InFlightTable()
    private var submitter: PushSubmitter
    private var pulled: [Delivery] = []
    private var results = ResultBatch()
    /// The number of pushes that the provider has answered on this connection.
    private var answers = 0
    private var rateLimit = ConnectionRateLimit()
    var lane: InteractiveLaneOwnership
    /// The number of streams that were added to the pool's metrics.
    var countedStreams = 0

    /// The time at which the connection has shown that it works; nil if it has not.
    var openedAt: Uptime?
    var hasRetired = false
    var isClosing = false
    /// True if the connection ends for a reason that is independent of its pushes.
    var endsForOtherReason = false
    /// True if the connection has carried a push.
    private(set) var hasSubmitted = false
    /// True if the provider has refused the credential on this connection. Its later answers may be consequences of
    /// that.
    var hasRefusedCredential = false

    /// True if a cycle is scheduled for the time at which the quota has room again.
    private var awaitsQuota = false

    /// The interval at which deadlines are checked: they are seconds, so a quarter of one is fine enough.
    private static let checkInterval = TimeAmount.milliseconds(250)

    /// The parts that the connections of a pool share.
    struct Dependencies {
        var upstream: Upstream
        var metrics: PoolMetrics
        var log: ConnectionLog
        /// The pool's interactive lane.
        var laneFlag: InteractiveLaneOwnership.Flag
    }

    /// One connection of a pool, as its group knows it.
    struct Identity {
        /// The number, which is unique in this run of the server.
        var number: Int
        /// The counts of the connection's work, for the group.
        var statistics: ConnectionStatistics
        var logger: Logger
    }

    /// The connection begins when it is added to a connected channel.
    ///
    /// - Parameter source: where the connection pulls its work.
    init(
        _ identity: Identity, of pool: Dependencies, limits: ConnectionMachine.PushConnectionLimits,
        source: any DeliverySource,
        observer: Observer
    ) {
        upstream = pool.upstream
        metrics = pool.metrics
        log = pool.log
        lane = InteractiveLaneOwnership(pool.laneFlag)
        number = UInt32(truncatingIfNeeded: identity.number)
        statistics = identity.statistics
        logger = identity.logger
        self.source = source
        self.observer = observer
        answerMilliseconds = limits.answerMilliseconds
        machine = ConnectionMachine(limits: limits, now: Clock.uptime())
        submitter = PushSubmitter(upstream)
    }

    // MARK: Channel

    /// Begins with the channel, which is connected already; if it is closed again, `handlerRemoved` is called.
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { connected(context) }
    }

    private func connected(_ context: ChannelHandlerContext) {
        guard secureHTTP2 == nil else { return }
        machine.tcpConnected(at: Clock.uptime())
        // The ticker is set first, because what follows may close the connection, and closing cancels the ticker.
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ticker = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.checkInterval, delay: Self.checkInterval) {
            _ in
            bound.value.checkDeadlines()
        }
        do {
            let secureHTTP2 = try SecureHTTP2(upstream.tls, serverName: upstream.server.certificateName)
            self.secureHTTP2 = secureHTTP2
            try advanceHandshake(secureHTTP2)
        } catch {
            fail("TLS cannot begin", error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard let secureHTTP2, !isClosing else { return }
        machine.bytesReceived(at: Clock.uptime())
        do {
            try secureHTTP2.receive(buffer)
            if secureHTTP2.http2 == nil { try advanceHandshake(secureHTTP2) }
            if let http2 = secureHTTP2.http2 { try read(secureHTTP2, http2) }
        } catch {
            // TLS or HTTP/2 may have bytes for the peer: an alert, a GOAWAY.
            flush()
            let isHandshake = machine.state == .connecting || machine.state == .securing
            fail(isHandshake ? "the TLS handshake with \(provider) failed" : "\(provider) broke the protocol", error)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        runCycle()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, secureHTTP2?.channelBecameWritable() ?? true { runCycle() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case Command.pull: runCycle()
        case Command.drain: drain()
        case Command.limitRate(let rate, let window): rateLimit.set(rate, window: window)
        case Command.carryBulk(let carriesBulk):
            if lane.setCarriesBulk(carriesBulk) { observer.laneReleased() }
            // There may be bulk pushes that this connection has left to other connections until now.
            runCycle()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("the connection to \(provider) broke", error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closed()
        self.context = nil
    }

    // MARK: Reading

    private func advanceHandshake(_ secureHTTP2: SecureHTTP2) throws {
        if try secureHTTP2.advanceHandshake() { machine.tlsCompleted(at: Clock.uptime()) }
        flush()
    }

    private func read(_ secureHTTP2: SecureHTTP2, _ http2: HTTP2ClientSession) throws {
        while true {
            switch try secureHTTP2.read() {
            case .more: handleEvents(of: http2)
            case .end: return
            // No answer can follow.
            case .closed:
                logEndByPeer("close_notify")
                return close()
            }
        }
    }

    /// Handles all events that HTTP/2 has.
    func handleEvents(of http2: HTTP2ClientSession) {
        handleEvents(of: http2, inFlight: &inFlight, results: &results)
    }

    /// Handles all events, with the properties that each answer changes borrowed once for all answers: a checked access
    /// to a property costs as much as the change.
    private func handleEvents(of http2: HTTP2ClientSession, inFlight: inout InFlightTable, results: inout ResultBatch) {
        let now = Clock.now()
        http2.takeEvents { event, bytes in
            guard case .streamClosed(let stream) = event else {
                if case .answerField(let field) = event {
                    if field.name == .uniqueID {
                        inFlight.setUniqueID(TracedAttempt.uniqueID(bytes), of: field.tag)
                    }
                    return
                }
                return handle(event, bytes, at: now)
            }
            let open = inFlight.count
            guard let ended = inFlight.remove(stream.tag) else { return }
            let (attempt, uniqueID) = (ended.attempt, ended.uniqueID)
            if stream.status == 200 && !stream.isMalformed {
                machine.pushDelivered(at: now.uptime)
                openedIfReady()
                results.appendDelivered(attempt, connection: number, uniqueID: uniqueID)
            } else {
                var end = attemptEnd(of: stream, body: bytes, wasOverdue: ended.wasOverdue, at: now)
                noteRefusal(&end, handedOutAt: attempt.handedOutAt, at: now)
                attemptEnded(end, open: open, handedOutAt: attempt.handedOutAt, at: now)
                metrics.countRetry(end.verdict)
                results.append(attempt, end, connection: number, uniqueID: uniqueID)
            }
        }
    }

    // MARK: Cycle

    /// Gives back results, pulls work, writes.
    func runCycle() {
        guard let http2 = secureHTTP2?.http2, let context, !isClosing else { return giveBack() }
        giveBack()
        if context.channel.isWritable { pull(http2) }
        flush()
        // Streams may also end while bytes are written, and pushes before that. Their slots are used again in the next
        // cycle.
        if http2.hasEvents || !results.isEmpty { endedInWriting(http2) }
        statistics.update(inFlight: inFlight.count, streams: machine.maximumStreams)
        if !lane.carriesBulk && !hasRetired { updateLane(http2, context) }
        if machine.state == .draining && inFlight.count == 0 { close() }
    }

    private func endedInWriting(_ http2: HTTP2ClientSession) {
        handleEvents(of: http2)
        guard !results.isEmpty else { return }
        giveBack()
        context?.eventLoop.assumeIsolated().execute { self.runCycle() }
    }

    /// Gives the results so far back to the source.
    func giveBack() {
        guard !results.isEmpty else { return }
        answers &+= results.answered
        metrics.pushesCompleted(results.count, delivered: results.delivered)
        statistics.countAnswers(results.answered, busy: results.busy)
        if results.delivered > 0 { upstream.accessTokens?.tokenAccepted() }
        source.deliveriesCompleted(results.results, for: upstream.key)
        results.removeAll()
    }

    private func pull(_ http2: HTTP2ClientSession) {
        // A used-up connection window holds back the bodies, so more streams would only take slots and wait.
        guard http2.canSubmit, http2.remoteConnectionWindow > 0 else { return retireIfExhausted(http2) }
        var streamRoom = min(machine.streamAllowance(open: http2.openStreams), http2.availableStreams)
        if rateLimit.rate != nil, let limit = rateLimit.allowance(at: Clock.uptime()) {
            streamRoom = min(streamRoom, limit)
        }
        guard streamRoom > 0, let permitted = permit(upTo: streamRoom) else { return }
        let allowance = PullAllowance(
            streamRoom: streamRoom, permitted: permitted, carriesBulk: lane.carriesBulk,
            isInteractiveLeft: lane.isLeftToOwner, reservedStreams: machine.interactiveStreams)
        source.pull(for: upstream.key, allowance.limits, into: &pulled)
        upstream.quota?.giveBack(allowance.permitted - pulled.count)
        guard !pulled.isEmpty else { return }
        hasSubmitted = true
        let now = Clock.uptime()
        machine.pushesSubmitted(afterIdle: inFlight.count == 0, at: now)
        metrics.pushesSubmitted(pulled.count)
        rateLimit.sent(pulled.count, at: now)
        submitPulled(http2)
        if machine.state == .open, allowance.wantsAnotherConnection(pulled: pulled.count) { observer.saturated() }
        pulled.removeAll(keepingCapacity: true)
    }

    /// Returns how many pushes may be pulled as far as access token and quota decide it, at most `streamRoom`; nil if
    /// no push may be pulled now.
    private func permit(upTo streamRoom: Int) -> Int? {
        guard upstream.accessTokens != nil || upstream.quota != nil else { return streamRoom }
        // Asking for work when there is none must not count as traffic of the project.
        guard source.hasWork(for: upstream.key) else { return nil }
        let now = Clock.now()
        if let tokens = upstream.accessTokens, !tokens.requestTokenIfDue(at: now) { return nil }
        guard let quota = upstream.quota else { return streamRoom }
        let (count, next) = quota.take(upTo: streamRoom, at: now.uptime)
        if let next { runCycle(at: next, after: now.uptime) }
        return count > 0 ? count : nil
    }

    /// Schedules a cycle for the time at which the quota has room again.
    private func runCycle(at time: Uptime, after now: Uptime) {
        guard !awaitsQuota, let context else { return }
        awaitsQuota = true
        let wait = TimeAmount.milliseconds(Int64(clamping: max(1, time.milliseconds(since: now))))
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: wait) {
            bound.value.awaitsQuota = false
            bound.value.runCycle()
        }
    }

    /// Replaces the connection when its stream ids end, after 2³⁰ requests.
    private func retireIfExhausted(_ http2: HTTP2ClientSession) {
        guard !http2.canSubmit, machine.state == .open || machine.state == .probing else { return }
        machine.drainingBegan(at: Clock.uptime())
        retire(.ended)
    }

    private func submitPulled(_ http2: HTTP2ClientSession) {
        let now = Clock.now()
        let authorization: RequestAuthorization?
        do throws(Upstream.AuthorizationError) {
            authorization = try upstream.requestAuthorization(at: now)
        } catch {
            return notAuthorized(error, at: now)
        }
        for start in stride(from: 0, to: pulled.count, by: PushSubmitter.pushesBetweenWrites) {
            let deliveries = pulled[start..<min(start + PushSubmitter.pushesBetweenWrites, pulled.count)]
            // Writing may have failed and ended everything.
            guard !isClosing else {
                for delivery in deliveries { appendFailed(delivery.attempt, .notSent) }
                continue
            }
            submitter.submit(deliveries, to: http2, authorization: authorization, at: now, inFlight: &inFlight) {
                notSubmitted($0, $1, at: now.uptime)
            }
            write()
        }
    }

    private func notAuthorized(_ fault: Upstream.AuthorizationError, at now: Moment) {
        let first: AttemptEnd
        switch fault {
        case .notSigned(let error):
            log.write("the provider token cannot be signed", ["error": "\(error)"], level: .error, to: logger)
            first = .tokenNotSigned
        case .refused(let text): first = .accessTokenRefused(text)
        // The connection has ended since the pushes were pulled.
        case .notYet: first = .notSent
        }
        upstream.quota?.giveBack(pulled.count)
        // As with a refusal of the provider, only the first push counts.
        for (index, delivery) in pulled.enumerated() {
            appendFailed(delivery.attempt, index == 0 ? first : .notSent)
        }
        guard case .notSigned = fault else { return }
        machine.drainingBegan(at: now.uptime)
        retire(.ended)
    }

    private func notSubmitted(_ delivery: Delivery, _ fault: PushSubmitter.SubmitError, at now: Uptime) {
        log.write("a push could not be submitted", ["error": "\(fault)"], to: logger)
        switch fault {
        case .http2(.invalidHeader), .http2(.requestTooLong), .message, .token:
            // The push itself is the reason: every other connection would refuse it too.
            appendFailed(delivery.attempt, .invalidRequest)
        default:
            appendFailed(delivery.attempt, .notSent)
            machine.drainingBegan(at: now)
            retire(.ended)
        }
    }

    func appendFailed(_ attempt: Attempt, _ end: AttemptEnd) {
        metrics.countRetry(end.verdict)
        results.append(attempt, end, connection: number)
    }

    /// Encrypts full records of the requests that were submitted.
    private func write() {
        guard let secureHTTP2, let context else { return }
        do {
            try secureHTTP2.write(untilEmpty: false, to: context)
        } catch {
            fail("bytes cannot be written", error)
        }
    }

    /// Writes what HTTP/2 and TLS have, as far as the channel takes it; the remainder leaves when it is writable again.
    func flush() {
        guard let secureHTTP2, let context else { return }
        guard secureHTTP2.flush(to: context, failed: { fail("bytes cannot be written", $0) }) else { return }
        // There may be work that was not pulled while the channel was not writable.
        context.eventLoop.assumeIsolated().execute { self.runCycle() }
    }

    // MARK: Interactive lane

    /// Gives the connection the whole interactive lane, or takes it away. Without bulk in its way, the connection owns
    /// the lane as long as it keeps up.
    private func updateLane(_ http2: HTTP2ClientSession, _ context: ChannelHandlerContext) {
        let canSubmit =
            machine.streamAllowance(open: http2.openStreams) > 0 && http2.remoteConnectionWindow > 0
            && context.channel.isWritable && rateLimit.rate == nil
        let isReleased = lane.cycleEnded(
            answers: answers, unanswered: inFlight.count, canSubmit: canSubmit, at: Clock.uptime())
        if isReleased { observer.laneReleased() }
    }
}
