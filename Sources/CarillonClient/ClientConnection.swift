import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// One connection: runs a client session over a channel and knows which call each request belongs to.
///
/// Confined to the event loop of its channel.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes written in one turn of the event loop before they are sent without waiting for its end.
    private static let flushByteCount = 64 << 10

    /// Lives until the channel is gone: `linkInactive` breaks the circle.
    private let dispatcher: Dispatcher
    private let settings: ClientSessionSettings
    private let timer: RestartableTimer
    private var session: ClientSession?
    private var context: ChannelHandlerContext?
    private var calls: [UInt64: UInt64] = [:]
    /// Whose requests these are, of those that no call has made.
    private var feeds: [UInt64: EventConsumer] = [:]
    /// Who is told the events of a subscription, by the id of its request.
    var subscribers: [UInt64: EventConsumer] = [:]
    /// Subscriptions that are to be ended when there is room.
    private var endings: [UInt64] = []
    private var pings: [UInt64] = []
    private var pingSentAt: NIODeadline?
    private var inbox = ByteBuffer()
    private var isFlushScheduled = false
    /// Closed before the channel was there.
    private var isOver = false
    /// What the channel said of its end.
    private var failure: (any Error)?
    /// Whether the connection has opened.
    private(set) var isOpen = false

    init(_ dispatcher: Dispatcher, _ settings: ClientSessionSettings, _ eventLoop: any EventLoop) {
        self.dispatcher = dispatcher
        self.settings = settings
        timer = RestartableTimer(eventLoop)
        timer.action = { [unowned self] in timerFired() }
    }

    /// What the server said of itself.
    var welcome: Welcome? { session?.welcome }
    /// Who the server takes the client for.
    var identity: Identity? { session?.identity }

    /// Whether a request would be sent at once.
    var hasRoom: Bool { session?.canSubmit == true && context?.channel.isWritable == true }

    // MARK: Orders

    /// Sends a request of `call` with the next flush.
    func submit(_ request: Request, call: UInt64, deadline: UInt64) -> Submission {
        let submission = submit(request, deadline: deadline)
        if case .sent(let id) = submission { calls[id] = call }
        return submission
    }

    /// Sends a request of `feed`, or of nobody who waits for its answer, with the next flush.
    func submit(_ request: Request, feed: EventConsumer?, deadline: UInt64) -> Submission {
        let submission = submit(request, deadline: deadline)
        if case .sent(let id) = submission { feeds[id] = feed }
        return submission
    }

    private func submit(_ request: Request, deadline: UInt64) -> Submission {
        let submission = session?.submit(request, deadline: deadline, at: RestartableTimer.now) ?? .wait
        if case .sent = submission {
            timer.arm(at: deadline)
            wrote()
        }
        return submission
    }

    /// Ends a subscription of events; the answer is of no interest.
    func unsubscribe(_ subscription: UInt64) {
        endings.append(subscription)
        endSubscriptions()
    }

    /// As many as there is room for; on a connection that takes no requests they end with it.
    private func endSubscriptions() {
        while let subscription = endings.last {
            let request = Request.unsubscribeEvents(EventUnsubscription(subscription: subscription))
            let deadline = RestartableTimer.now + settings.pingMilliseconds
            let submission = submit(request, deadline: deadline)
            if case .wait = submission { return }
            // Closing does not wait for the answer.
            if case .sent(let id) = submission { session?.abandon(id) }
            endings.removeLast()
        }
    }

    /// Measures a round trip for `call`.
    func ping(call: UInt64) -> PingSubmission {
        let submission = session?.sendPing(at: RestartableTimer.now) ?? .notOpen
        switch submission {
        case .sent, .underWay:
            pings.append(call)
            pinged()
            wrote()
        case .tooSoon, .notOpen: break
        }
        return submission
    }

    /// Nobody waits for this request any more.
    func abandon(request: UInt64) {
        calls[request] = nil
        feeds[request] = nil
        session?.abandon(request)
    }

    /// Nobody waits for this ping any more.
    func abandon(pingOf call: UInt64) {
        pings.removeAll { $0 == call }
    }

    /// Closes when everything sent is answered.
    func finish() {
        guard session != nil else { return cut() }
        if let closure = session?.finish() { end(closure) }
    }

    /// Closes without waiting for anything.
    func cut() {
        isOver = true
        context?.close(promise: nil)
    }

    private func wrote() {
        guard let context, let session else { return }
        if session.output.bytes.count >= Self.flushByteCount { return flush() }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        // One flush for all that is submitted in this turn of the event loop.
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        guard let context, let bytes = session?.output.take(), !bytes.isEmpty else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin()
        context.fireChannelActive()
    }

    private func begin() {
        guard session == nil else { return }
        guard !isOver else { return cut() }
        session = ClientSession(settings: settings, now: RestartableTimer.now)
        timer.arm(at: session?.deadline)
        flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        inbox.writeBuffer(&bytes)
        read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        endSubscriptions()
        flush()
        timer.arm(at: session?.deadline)
        dispatcher.pump()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { dispatcher.pump() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil { failure = error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let session, !session.isClosed, let closure = self.session?.disconnected() { end(closure) }
        timer.cancel()
        dispatcher.linkInactive(self)
        context.fireChannelInactive()
    }

    private func read() {
        let now = RestartableTimer.now
        while session?.isClosed == false {
            let result = inbox.withUnsafeReadableBytes { session?.received($0, at: now) }
            guard let (consumed, step) = result, step != .needMore else { break }
            inbox.moveReaderIndex(forwardBy: consumed)
            take(step)
        }
        if session?.isClosed != false { inbox.clear() }
        if inbox.readableBytes == 0 { inbox.clear() } else if inbox.readerIndex > 1 << 16 { inbox.discardReadBytes() }
    }

    private func take(_ step: ClientStep) {
        switch step {
        case .needMore, .proceed:
            break
        case .event(let notice, let subscription):
            subscribers[subscription]?.received(notice)
        case .opened:
            isOpen = true
            dispatcher.linkOpened(self)
        case .answered(let response, let id):
            if let call = calls.removeValue(forKey: id) { dispatcher.answered(call, response) }
            feeds.removeValue(forKey: id)?.answered(response, id)
        case .refused(let reply, let id):
            refused(id, CarillonError(reply))
        case .unreadable(let fault, let id):
            let error = CarillonError(.protocolViolation, effect: .executed, message: fault.text)
            refused(id, error)
        case .ponged:
            ponged()
        case .goingAway(let reconnectAfter, let ids):
            dispatcher.linkGoingAway(
                self,
                reconnectAfter: UInt64(reconnectAfter),
                notExecuted: ids.compactMap { calls.removeValue(forKey: $0) }
            )
        case .close(let closure):
            end(closure)
        }
    }

    private func refused(_ id: UInt64, _ error: CarillonError) {
        if let call = calls.removeValue(forKey: id) { dispatcher.refused(call, error) }
        feeds.removeValue(forKey: id)?.failed(error, id)
    }

    private func pinged() {
        if pingSentAt == nil { pingSentAt = .now() }
    }

    private func ponged() {
        guard let sentAt = pingSentAt else { return }
        let roundTrip = Duration.nanoseconds((NIODeadline.now() - sentAt).nanoseconds)
        for call in pings { dispatcher.ponged(call, roundTrip) }
        pings = []
        pingSentAt = nil
    }

    private func timerFired() {
        guard let overdue = session?.timerFired(at: RestartableTimer.now) else { return }
        if session?.isPinging == true { pinged() }
        for id in overdue.expired {
            if let call = calls.removeValue(forKey: id) { dispatcher.expired(call, wasSent: true) }
            let error = CarillonError(.timeout, retryAfter: .zero, message: "no answer in time")
            feeds.removeValue(forKey: id)?.failed(error, id)
        }
        if let closure = overdue.closure { return end(closure) }
        flush()
        timer.arm(at: session?.deadline)
    }

    /// Tells the dispatcher, sends what is left and closes.
    private func end(_ closure: Closure) {
        let error = CarillonError(closure.reason, failure)
        let named = closure.named.flatMap { calls[$0] }
        let unanswered = closure.unanswered.compactMap { $0 == closure.named ? nil : calls[$0] } + pings
        calls = [:]
        feeds = [:]
        subscribers = [:]
        endings = []
        pings = []
        dispatcher.linkEnded(self, error, named: named, unanswered: unanswered)
        flush()
        timer.cancel()
        context?.close(promise: nil)
    }
}
