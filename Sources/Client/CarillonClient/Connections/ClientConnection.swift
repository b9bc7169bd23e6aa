import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// One connection, which runs a client session over a channel and maps request ids to calls.
///
/// Confined to the event loop of its channel.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The number of bytes of output after which the output is sent before the event-loop cycle ends.
    private static let flushByteCount = 64 << 10

    /// The dispatcher of the client. It is kept until the channel is gone: `channelClosed` breaks the cycle of
    /// references.
    private let dispatcher: CallDispatcher
    /// The address of the server and its place in the list.
    let address: CarillonClient.Configuration.Address
    let serverIndex: Int
    private let options: ClientSessionOptions
    private let timer: EarliestDeadlineTimer
    private var session: ClientSession?
    private var context: ChannelHandlerContext?
    /// The calls by the id of their request.
    private var calls = AscendingTable<UInt64>()
    /// The event consumers by the id of the request that they wait for.
    private var consumersByRequest: [UInt64: EventConsumer] = [:]
    /// The event consumers by the id of their SUBSCRIBE_EVENTS.
    var consumersBySubscription: [UInt64: EventConsumer] = [:]
    /// The subscriptions to end when there is room for a request.
    private var pendingUnsubscribes: [UInt64] = []
    /// The calls that wait for the answer to a PING.
    private var pingCalls: [UInt64] = []
    /// The uptime at which the ping was sent, in nanoseconds; nil if no ping is under way.
    private var pingSentAtNanoseconds: UInt64?
    private var input = ByteBuffer()
    private var isFlushScheduled = false
    /// True if the dispatcher knows that the connection has ended, or could not be made.
    private var hasEnded = false
    private var hasReportedWorking = false
    /// The error that ended the channel.
    private var failure: (any Error)?
    /// True if the connection has opened; it stays true when the connection has ended.
    private(set) var hasOpened = false

    init(
        _ dispatcher: CallDispatcher, address: CarillonClient.Configuration.Address, serverIndex: Int,
        options: ClientSessionOptions, eventLoop: any EventLoop
    ) {
        self.dispatcher = dispatcher
        self.address = address
        self.serverIndex = serverIndex
        self.options = options
        timer = EarliestDeadlineTimer(eventLoop)
        timer.action = { [unowned self] in timerFired() }
    }

    /// The answer to HELLO; nil before it has come.
    var helloAnswer: HelloAnswer? { session?.helloAnswer }
    /// The answer to AUTH; nil before it has come.
    var authenticateAnswer: AuthenticateAnswer? { session?.authenticateAnswer }

    /// The key that the last AUTH had, or that the next one will have.
    var key: [UInt8]? { options.key }
    /// True if the server has answered a request or sent an event since the connection is open.
    var hasWorked: Bool { session?.hasWorked ?? false }

    /// True if the channel takes bytes. `submit` says whether the server takes a request.
    var isWritable: Bool { context?.channel.isWritable == true }
    /// True if a request would be sent at once. To ask this for each request would be slow: it copies the session.
    var hasRoom: Bool { isWritable && session?.canSubmit == true }

    /// The cluster of the server; nil if it belongs to none, or HELLO is not answered.
    var cluster: UUIDBytes? { helloAnswer?.node?.cluster }

    /// Lets the server answer the later requests from a state that contains a position of its cluster's log.
    func sendPosition(_ position: UInt64) {
        session?.sendPosition(position)
        scheduleFlush()
    }

    // MARK: Requests

    /// Sends a request of `call` with the next flush.
    func submit(_ request: EncodedRequest, call: UInt64, deadline: Uptime, at now: Uptime) -> RequestSubmission {
        let submission = session?.submit(request, deadline: deadline, at: now) ?? .sendLater
        if case .sent(let id) = submission {
            calls[id] = call
            requestSubmitted(deadline)
        }
        return submission
    }

    /// Sends a request of `consumer` with the next flush. A nil consumer ignores the answer.
    func submit(_ request: some Operation, consumer: EventConsumer?, deadline: Uptime) -> RequestSubmission {
        let submission = submit(request, deadline: deadline)
        if case .sent(let id) = submission { consumersByRequest[id] = consumer }
        return submission
    }

    private func submit(_ request: some Operation, deadline: Uptime) -> RequestSubmission {
        let submission = session?.submit(request, deadline: deadline, at: Clock.uptime()) ?? .sendLater
        if case .sent = submission { requestSubmitted(deadline) }
        return submission
    }

    private func requestSubmitted(_ deadline: Uptime) {
        timer.arm(at: deadline)
        scheduleFlush()
    }

    /// Ignores the further events of a subscription that the server does not have any more.
    func forget(subscription: UInt64) {
        consumersBySubscription[subscription] = nil
        session?.forget(subscription: subscription)
    }

    /// Ends a subscription of events; the answer is of no interest.
    func unsubscribe(_ subscription: UInt64) {
        pendingUnsubscribes.append(subscription)
        endSubscriptions()
    }

    /// Ends as many of the pending subscriptions as there is room for. On a connection that accepts no requests, they
    /// end with it.
    private func endSubscriptions() {
        while let subscription = pendingUnsubscribes.last {
            let request = UnsubscribeEventsRequest(subscription: subscription)
            let deadline = Clock.uptime() + options.pingTimeoutMilliseconds
            let submission = submit(request, deadline: deadline)
            if case .sendLater = submission { return }
            // Closing does not wait for the answer.
            if case .sent(let id) = submission { session?.abandon(id, at: Clock.uptime()) }
            pendingUnsubscribes.removeLast()
        }
    }

    /// Measures a round trip for `call` with a PING.
    func ping(call: UInt64) -> PingSubmission {
        let submission = session?.sendPing(at: Clock.uptime()) ?? .notOpen
        switch submission {
        case .sent, .underWay:
            pingCalls.append(call)
            pingSent()
            scheduleFlush()
        case .tooSoon, .notOpen: break
        }
        return submission
    }

    /// Ignores the answer to a request.
    func abandon(request: UInt64) {
        calls[request] = nil
        consumersByRequest[request] = nil
        session?.abandon(request, at: Clock.uptime())
        timer.arm(at: session?.deadline)
    }

    /// Ignores the answer to a ping.
    func abandon(pingOf call: UInt64) {
        pingCalls.removeAll { $0 == call }
    }

    func closeWhenAnswered() {
        guard session != nil else { return closeNow() }
        if let sessionEnd = session?.closeWhenAnswered() { end(sessionEnd) }
    }

    /// Sends no new requests, and closes when everything sent is answered.
    func drain() {
        if let sessionEnd = session?.drain() { end(sessionEnd) }
    }

    func closeNow() {
        let wasConnecting = session == nil
        hasEnded = true
        context?.close(promise: nil)
        // Its channel, if there will be one, closes itself.
        if wasConnecting { dispatcher.eventLoop.assumeIsolated().execute { self.dispatcher.channelClosed(self) } }
    }

    /// Reports to the dispatcher that no channel could be made.
    func couldNotConnect(_ failure: any Error) {
        guard session == nil, !hasEnded else { return }
        hasEnded = true
        dispatcher.connectionEnded(self, with: CarillonError(connecting: failure), namedCall: nil, unanswered: [])
        dispatcher.channelClosed(self)
    }

    /// Closes the connection if it has not opened in time.
    func openingTimedOut() {
        guard !hasOpened, !hasEnded else { return }
        let error = CarillonError(.cannotConnect, retryAfter: .zero, message: "the server did not answer in time")
        if session == nil { return couldNotConnect(error) }
        failure = error
        context?.close(promise: nil)
    }

    private func scheduleFlush() {
        // Never `if let session`: that would copy all of it, here for each request.
        guard let context, let byteCount = session?.output.bytes.count else { return }
        if byteCount >= Self.flushByteCount { return flush() }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // One flush for all requests that are submitted in this event-loop cycle.
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        guard let context, let bytes = session?.output.take(), !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
        // The first request that waits moves the next ping.
        timer.arm(at: session?.deadline)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Several channels may have tried to connect; the others are closed by now.
        if self.context === context { self.context = nil }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        begin()
        context.fireChannelActive()
    }

    private func begin() {
        guard session == nil else { return }
        guard !hasEnded else {
            context?.close(promise: nil)
            return
        }
        session = ClientSession(options: options, now: Clock.uptime())
        timer.arm(at: session?.deadline)
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        endSubscriptions()
        flush()
        timer.arm(at: session?.deadline)
        dispatcher.submitWaiting()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { dispatcher.submitWaiting() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.context === context, failure == nil { failure = error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard self.context === context else { return context.fireChannelInactive() }
        if session?.isClosed == false, let sessionEnd = session?.connectionClosed() { end(sessionEnd) }
        timer.cancel()
        dispatcher.channelClosed(self)
        context.fireChannelInactive()
    }

    /// Lets the session read what has come, frame by frame.
    private func read() {
        let now = Clock.uptime()
        while let (consumed, step) = input.withUnsafeReadableBytes({ session?.received($0, at: now) }) {
            if case .needMore = step { break }
            input.moveReaderIndex(forwardBy: consumed)
            if !hasReportedWorking, hasWorked {
                hasReportedWorking = true
                dispatcher.connectionWorked(self)
            }
            handle(step)
        }
        if session?.isClosed != false { input.clear() }
        if input.readableBytes == 0 {
            input.clear()
        } else if input.readerIndex > 1 << 16 {
            input.discardReadBytes()
        }
    }

    /// Tells the dispatcher, and the consumers of events, what the session has read.
    private func handle(_ step: ClientStep) {
        switch step {
        case .needMore, .proceed:
            break
        case .event(let notice, let subscription):
            consumersBySubscription[subscription]?.noticeReceived(notice)
        case .opened:
            hasOpened = true
            dispatcher.connectionOpened(self)
        case .answered(let answer, let id):
            if let call = calls.remove(id) { dispatcher.callAnswered(call, with: answer) }
            consumersByRequest.removeValue(forKey: id)?.requestAnswered(id, with: answer)
        case .refused(let error, let id):
            requestRefused(id, with: CarillonError(error))
        case .unreadable(let fault, let id):
            requestRefused(id, with: CarillonError(.server(.malformed), effect: .executed, message: fault.text))
        case .pingAnswered:
            pongReceived()
        case .position(let position):
            dispatcher.positionReported(position, on: self)
        case .goingAway(let goAway, let ids):
            dispatcher.connectionGoingAway(self, with: goAway, notExecuted: ids.compactMap { calls.remove($0) })
        case .close(let sessionEnd):
            end(sessionEnd)
        }
    }

    private func requestRefused(_ id: UInt64, with error: CarillonError) {
        if let call = calls.remove(id) { dispatcher.callRefused(call, with: error, on: self) }
        consumersByRequest.removeValue(forKey: id)?.requestFailed(id, with: error)
        if error.code == .behind { dispatcher.nodeIsBehind(self, with: error) }
    }

    private func pingSent() {
        if pingSentAtNanoseconds == nil { pingSentAtNanoseconds = Clock.uptimeNanoseconds() }
    }

    private func pongReceived() {
        guard let sentAt = pingSentAtNanoseconds else { return }
        let roundTrip = Duration.nanoseconds(Int64(clamping: Clock.uptimeNanoseconds() - sentAt))
        for call in pingCalls { dispatcher.pongReceived(call, roundTrip: roundTrip) }
        pingCalls = []
        pingSentAtNanoseconds = nil
    }

    private func timerFired() {
        guard let overdue = session?.timerFired(at: Clock.uptime()) else { return }
        if session?.isPinging == true { pingSent() }
        for id in overdue.expired {
            if let call = calls.remove(id) { dispatcher.callExpired(call, wasWritten: true) }
            let error = CarillonError(.noAnswer, retryAfter: .zero, message: "no answer in time")
            consumersByRequest.removeValue(forKey: id)?.requestFailed(id, with: error)
        }
        if let sessionEnd = overdue.sessionEnd { return end(sessionEnd) }
        flush()
        timer.arm(at: session?.deadline)
    }

    /// Reports the end to the dispatcher, sends the remaining output and closes.
    private func end(_ sessionEnd: SessionEnd) {
        let wasClosed = hasEnded
        hasEnded = true
        let error = CarillonError(sessionEnd.reason, failure: failure, wasOpen: hasOpened)
        let namedCall = sessionEnd.named.flatMap { calls[$0] }
        let unanswered = sessionEnd.unanswered.compactMap { $0 == sessionEnd.named ? nil : calls[$0] } + pingCalls
        calls = AscendingTable()
        consumersByRequest = [:]
        consumersBySubscription = [:]
        pendingUnsubscribes = []
        pingCalls = []
        if !wasClosed { dispatcher.connectionEnded(self, with: error, namedCall: namedCall, unanswered: unanswered) }
        flush()
        timer.cancel()
        context?.close(promise: nil)
    }
}
