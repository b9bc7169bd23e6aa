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
/// streams, and writes everything at once. It coordinates parts that have one job each:
///
/// - `ConnectionMachine`: the state of the connection, and the decisions about it
/// - `SecureHTTP2`: bytes in and out
/// - `ConnectionPushes`: requests, attempts without an answer, and results
/// - `AnswerJudge`: the meaning of answers
/// - `ConnectionWorkShare`: the rate limit and the interactive lane
/// - `ConnectionReporter`: what the group and the metrics know of it
/// - `ConnectionTimers`: deadlines, and the wait for quota
///
/// The reactions to events of HTTP/2 are in `PushConnection+Events.swift`; deadlines and the end of the connection are
/// in `PushConnection+LifeCycle.swift`.
final class PushConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The parts that the connections of a pool share.
    struct Dependencies {
        var target: PoolTarget
        var metrics: PoolMetrics
        var log: ConnectionLogger
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

    let target: PoolTarget
    let source: any DeliverySource
    let metrics: PoolMetrics
    let statistics: ConnectionStatistics
    private let poolLog: ConnectionLogger
    let logger: Logger

    private(set) var context: ChannelHandlerContext?
    private(set) var secureHTTP2: SecureHTTP2?
    private(set) var timers: ConnectionTimers?
    var machine: ConnectionMachine
    var pushes: ConnectionPushes
    private var judge: AnswerJudge
    var workShare: ConnectionWorkShare
    var reporter: ConnectionReporter

    /// True if the channel is closed: `channelInactive` or `handlerRemoved` was called.
    private var hasEnded = false
    /// The deliveries of the last pull; it keeps its memory for the next one.
    private var pulled: [Delivery] = []

    /// Makes the handler of a connection. The handshake begins when the handler is added to a connected channel.
    ///
    /// - Parameters:
    ///   - source: where the connection pulls its work.
    ///   - report: receives the events of the connection, on its event loop.
    init(
        _ identity: Identity, of pool: Dependencies, limits: ConnectionMachine.Limits,
        source: any DeliverySource, report: @escaping @Sendable (PushConnectionEvent) -> Void
    ) {
        target = pool.target
        self.source = source
        metrics = pool.metrics
        statistics = identity.statistics
        poolLog = pool.log
        logger = identity.logger
        machine = ConnectionMachine(limits: limits, now: Clock.uptime())
        pushes = ConnectionPushes(
            to: pool.target, source: source, metrics: pool.metrics, statistics: identity.statistics,
            connection: identity.number)
        judge = AnswerJudge(pool.target)
        workShare = ConnectionWorkShare(laneFlag: pool.laneFlag)
        reporter = ConnectionReporter(metrics: pool.metrics, report: report)
    }

    var provider: String { target.adapter.name }

    /// Writes a line about the connection, within the limits of the pool's log.
    func log(_ message: Logger.Message, metadata: Logger.Metadata, level: Logger.Level = .warning) {
        poolLog.write(message, metadata: metadata, level: level, to: logger)
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
        // The timers are started first, because what follows may close the connection, and closing cancels them.
        let timers = ConnectionTimers(on: context.eventLoop)
        self.timers = timers
        timers.startDeadlineChecks { self.checkDeadlines() }
        do {
            let secureHTTP2 = try SecureHTTP2(target.tls, serverName: target.server.certificateName)
            self.secureHTTP2 = secureHTTP2
            try advanceHandshake(secureHTTP2)
        } catch {
            fail("TLS cannot begin", because: error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard let secureHTTP2, machine.state != .closing else { return }
        machine.bytesReceived(at: Clock.uptime())
        do {
            try secureHTTP2.receive(buffer)
            if secureHTTP2.http2 == nil { try advanceHandshake(secureHTTP2) }
            try read(secureHTTP2)
        } catch {
            // TLS or HTTP/2 may have bytes for the peer: an alert, a GOAWAY.
            flush()
            let isHandshake = machine.state == .connecting || machine.state == .handshaking
            fail(
                isHandshake ? "the TLS handshake with \(provider) failed" : "\(provider) broke the protocol",
                because: error)
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
        case PushConnectionCommand.pull: runCycle()
        case PushConnectionCommand.drain: drain()
        case PushConnectionCommand.limitRate(let pushesPerInterval, let milliseconds):
            workShare.limitRate(pushesPerInterval, intervalMilliseconds: milliseconds)
        case PushConnectionCommand.carryBulk(let carriesBulk):
            if workShare.setCarriesBulk(carriesBulk) { reporter.send(.laneReleased) }
            // There may be bulk pushes that this connection has left to other connections until now.
            runCycle()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endOnce()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail("the connection to \(provider) broke", because: error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endOnce()
        self.context = nil
    }

    private func endOnce() {
        guard !hasEnded else { return }
        hasEnded = true
        closed()
    }

    // MARK: Reading

    private func advanceHandshake(_ secureHTTP2: SecureHTTP2) throws {
        if try secureHTTP2.advanceHandshake() { machine.handshakeCompleted(at: Clock.uptime()) }
        flush()
    }

    private func read(_ secureHTTP2: SecureHTTP2) throws {
        while let http2 = secureHTTP2.http2 {
            switch try secureHTTP2.read() {
            case .more: handleEvents(of: http2)
            case .allRead: return
            // No answer can follow.
            case .closed:
                logEndByPeer("close_notify")
                return close()
            }
        }
    }

    func handleEvents(of http2: HTTP2ClientSession) {
        handleEvents(of: http2, pushes: &pushes)
    }

    /// Handles all events.
    ///
    /// `pushes` is the property of that name, borrowed once for all answers. Each access to the property itself would
    /// be checked at run time, and the check costs as much as what an answer changes. Nothing that is called here may
    /// use the property, because a second access during the first one traps.
    private func handleEvents(of http2: HTTP2ClientSession, pushes: inout ConnectionPushes) {
        let now = Clock.now()
        http2.takeEvents { event, bytes in
            switch event {
            case .streamClosed(let stream):
                streamClosed(stream, body: bytes, pushes: &pushes, at: now)
            case .answerField(let field):
                switch field.name {
                case .uniqueID: pushes.setUniqueID(TraceAttempt.uniqueID(bytes), of: field.tag)
                case .errorDescription: pushes.setErrorDescription(bytes, of: field.tag)
                case .channelID: break
                }
            case .settings, .settingsAcknowledged, .goAway, .pingAcknowledged:
                handle(event, debugData: bytes, at: now)
            }
        }
    }

    @inline(__always)
    private func streamClosed(
        _ stream: StreamEnd, body: UnsafeRawBufferPointer, pushes: inout ConnectionPushes, at now: Moment
    ) {
        let unanswered = pushes.unanswered
        let errorDescription = pushes.removeErrorDescription(of: stream.tag)
        guard let ended = pushes.remove(stream.tag) else { return }
        if stream.status == 200 && !stream.isMalformed {
            machine.pushDelivered(at: now.uptime)
            openedIfReady()
            pushes.appendDelivered(ended)
        } else {
            let end = judge.judge(ended, stream: stream, errorDescription: errorDescription, body: body, at: now)
            attemptEnded(end, among: unanswered, handedOutAt: ended.attempt.handedOutAt, at: now)
            pushes.append(ended.attempt, as: end, uniqueID: ended.uniqueID)
        }
    }

    // MARK: Cycle

    /// Gives back results, pulls work, writes.
    func runCycle() {
        guard let http2 = secureHTTP2?.http2, let context, machine.state != .closing else { return pushes.giveBack() }
        pushes.giveBack()
        if context.channel.isWritable { pull(http2) }
        flush()
        // Streams may also end while bytes are written, and pushes before that. Their slots are used again in the next
        // cycle.
        if http2.hasEvents || pushes.hasResults { endedInWriting(http2) }
        statistics.update(inFlight: pushes.unanswered, maximumStreams: machine.maximumStreams)
        if !workShare.carriesBulk && !reporter.hasRetired { updateLane(http2, on: context) }
        if machine.state == .draining && pushes.unanswered == 0 { close() }
    }

    private func endedInWriting(_ http2: HTTP2ClientSession) {
        handleEvents(of: http2)
        guard pushes.hasResults else { return }
        pushes.giveBack()
        runCycleSoon()
    }

    /// Runs a cycle after the one that is running.
    private func runCycleSoon() { context?.eventLoop.assumeIsolated().execute { self.runCycle() } }

    private func pull(_ http2: HTTP2ClientSession) {
        // A used-up connection window holds back the bodies, so more streams would only take slots and wait.
        guard http2.canSubmit, http2.remoteConnectionWindowBytes > 0 else { return retireIfExhausted(http2) }
        let freeStreams = min(machine.streamAllowance(openStreams: http2.openStreams), http2.availableStreams)
        let streamRoom = workShare.room(within: freeStreams, at: Clock.uptime())
        guard streamRoom > 0, let permitted = takeAllowance(upTo: streamRoom) else { return }
        let allowance = workShare.allowance(
            streamRoom: streamRoom, permitted: permitted, reservedStreams: machine.interactiveStreams)
        source.pull(for: target.key, allowance.limits, into: &pulled)
        target.quota?.giveBack(allowance.permitted - pulled.count)
        guard !pulled.isEmpty else { return }
        let now = Clock.uptime()
        machine.pushesSubmitted(afterIdle: pushes.unanswered == 0, at: now)
        pushes.countPulled(pulled.count)
        workShare.pushesSent(pulled.count, at: now)
        submitPulled(http2)
        if machine.state == .open, allowance.wantsAnotherConnection(pulled: pulled.count) { reporter.send(.saturated) }
        pulled.removeAll(keepingCapacity: true)
    }

    /// Returns how many pushes the access token and the quota allow to be pulled, at most `streamRoom`; nil if no push
    /// may be pulled now.
    private func takeAllowance(upTo streamRoom: Int) -> Int? {
        guard target.needsAllowance else { return streamRoom }
        // Asking for work when there is none must not count as traffic of the project.
        guard source.hasWork(for: target.key) else { return nil }
        let now = Clock.now()
        let allowance = target.takeAllowance(upTo: streamRoom, at: now)
        if let moreAt = allowance.moreAt {
            timers?.awaitQuota(milliseconds: moreAt.milliseconds(since: now.uptime)) { self.runCycle() }
        }
        return allowance.count > 0 ? allowance.count : nil
    }

    /// Replaces the connection when its stream ids end, after 2³⁰ requests.
    private func retireIfExhausted(_ http2: HTTP2ClientSession) {
        guard !http2.canSubmit, machine.state == .open || machine.state == .probing else { return }
        machine.drain(at: Clock.uptime())
        retire(.ended)
    }

    /// Submits the pulled pushes, a few between two writes (`PushSubmitter.pushesBetweenWrites`).
    private func submitPulled(_ http2: HTTP2ClientSession) {
        let now = Clock.now()
        let authorization: RequestAuthorization?
        do throws(PoolTarget.AuthorizationError) {
            authorization = try target.requestAuthorization(at: now)
        } catch {
            return notAuthorized(error, at: now)
        }
        for start in stride(from: 0, to: pulled.count, by: PushSubmitter.pushesBetweenWrites) {
            let deliveries = pulled[start..<min(start + PushSubmitter.pushesBetweenWrites, pulled.count)]
            // Writing may have failed and ended everything.
            guard machine.state != .closing else {
                for delivery in deliveries { pushes.append(delivery.attempt, as: .notSent) }
                continue
            }
            for failed in pushes.submit(deliveries, to: http2, authorization: authorization, at: now) {
                notSubmitted(failed.delivery, because: failed.error, at: now.uptime)
            }
            write()
        }
    }

    /// Ends the attempts of the pulled pushes, for which there is no authorization. If no provider token can be signed,
    /// the connection takes no more work.
    private func notAuthorized(_ error: PoolTarget.AuthorizationError, at now: Moment) {
        let first: AttemptEnd
        switch error {
        case .notSigned(let error):
            log("the provider token cannot be signed", metadata: ["error": "\(error)"], level: .error)
            first = .tokenNotSigned
        case .refused(let text): first = .accessTokenRefused(text)
        // The connection has ended since the pushes were pulled.
        case .notYet: first = .notSent
        }
        target.quota?.giveBack(pulled.count)
        // One failure is the result of one push, like a refusal of the provider: the others were not sent.
        for (index, delivery) in pulled.enumerated() {
            pushes.append(delivery.attempt, as: index == 0 ? first : .notSent)
        }
        guard case .notSigned = error else { return }
        machine.drain(at: now.uptime)
        retire(.ended)
    }

    /// Ends the attempt of a push that HTTP/2 has not taken. Unless the push itself is invalid, the connection takes no
    /// more work.
    private func notSubmitted(_ delivery: Delivery, because error: PushSubmitter.SubmitError, at now: Uptime) {
        log("a push could not be submitted", metadata: ["error": "\(error)"])
        switch error {
        case .http2(.invalidHeader), .http2(.requestTooLong), .http2(.tooManyHeaders), .message, .token:
            // The push itself is the reason: every other connection would refuse it too.
            pushes.append(delivery.attempt, as: .invalidRequest)
        default:
            pushes.append(delivery.attempt, as: .notSent)
            machine.drain(at: now)
            retire(.ended)
        }
    }

    /// Encrypts full records of the requests that were submitted.
    private func write() {
        guard let secureHTTP2, let context else { return }
        do {
            try secureHTTP2.write(untilEmpty: false, to: context)
        } catch {
            fail("bytes cannot be written", because: error)
        }
    }

    /// Writes as much of what HTTP/2 and TLS have as the channel takes; the remainder leaves when it is writable again.
    func flush() {
        guard let secureHTTP2, let context else { return }
        let isWritableAgain = secureHTTP2.flush(to: context) { fail("bytes cannot be written", because: $0) }
        // There may be work that was not pulled while the channel was not writable.
        if isWritableAgain { runCycleSoon() }
    }

    private func updateLane(_ http2: HTTP2ClientSession, on context: ChannelHandlerContext) {
        let hasRoom =
            machine.streamAllowance(openStreams: http2.openStreams) > 0 && http2.remoteConnectionWindowBytes > 0
            && context.channel.isWritable
        let isReleased = workShare.cycleEnded(
            answers: pushes.answerCount, unanswered: pushes.unanswered, hasRoom: hasRoom, at: Clock.uptime())
        if isReleased { reporter.send(.laneReleased) }
    }
}
