import CarillonCore
import CarillonGateway
import CarillonWire
import NIOCore

/// A connection within the process, from an HTTP port to a session of the server: requests in, answers out, in any
/// order. Confined to its loop.
// Safety: every use is on its loop.
final class InProcessConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest wait for an answer.
    static let answerTimeout = TimeAmount.seconds(45)

    /// The principal and its grants as JSON, once the connection is open.
    private(set) var principalJSON: [UInt8] = []
    /// True while the connection takes new requests.
    private(set) var isUsable = false
    /// Called when the server no longer accepts the key.
    var onWithdrawal: (() -> Void)?

    private var session: GatewaySession
    private let gateway: Gateway
    private let opened: EventLoopPromise<Void>
    private var waiting: [UInt64: (promise: EventLoopPromise<[UInt8]>, timer: Scheduled<Void>)] = [:]
    private var streams: [UInt64: EventLineStream] = [:]
    private var context: ChannelHandlerContext?

    /// The number of requests without an answer, and of streams of events.
    var outstandingCount: Int { waiting.count + streams.count }

    init(key: [UInt8], gateway: Gateway, opened: EventLoopPromise<Void>) {
        session = GatewaySession(key: key)
        self.gateway = gateway
        self.opened = opened
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { flush() }
    }

    func channelActive(context: ChannelHandlerContext) {
        flush()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        session.append(unwrapInboundIn(data).readableBytesView)
        var isDone = false
        while !isDone {
            let step = session.next()
            if case .needMore = step { isDone = true } else { carryOut(step) }
        }
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(because: .sessionEnded)
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func carryOut(_ step: GatewaySession.Step) {
        switch step {
        case .needMore, .proceed: break
        case .opened(let payload):
            principalJSON = gateway.principalJSON(payload)
            isUsable = true
            opened.succeed()
        case .answered(let id, let opcode, let payload):
            if let stream = streams[id], opcode == .subscribeEvents { return stream.subscriptionAccepted() }
            guard let request = waiting.removeValue(forKey: id) else { return }
            request.timer.cancel()
            request.promise.succeed(payload)
        case .refused(let id, let payload):
            let error = gateway.error(payload: payload)
            if let stream = streams.removeValue(forKey: id) { return stream.subscriptionRefused(error) }
            guard let request = waiting.removeValue(forKey: id) else { return }
            request.timer.cancel()
            request.promise.fail(error)
        case .event(let subscription, let payload):
            guard let stream = streams[subscription], let json = gateway.event(payload: payload) else { return }
            stream.eventReceived(json)
        case .goingAway(let isWithdrawn):
            isUsable = false
            if isWithdrawn { onWithdrawal?() }
            for stream in streams.values { stream.sessionEnded() }
        case .closed(let payload):
            end(because: payload.map { gateway.error(payload: $0) } ?? .sessionEnded)
            context?.close(promise: nil)
        }
    }

    /// Ends the connection, its requests and its streams.
    ///
    /// - Parameter error: the error if the connection was not open yet. Requests that wait get `sessionEnded`: the
    ///   error is about the connection and not about them.
    private func end(because error: GatewayError) {
        isUsable = false
        opened.fail(error)
        let requests = waiting.values
        waiting = [:]
        for request in requests {
            request.timer.cancel()
            request.promise.fail(GatewayError.sessionEnded)
        }
        for stream in streams.values { stream.sessionEnded() }
        streams = [:]
    }

    private func flush() {
        let bytes = session.takeOutput()
        guard !bytes.isEmpty, let context else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    // MARK: Requests

    /// Sends a request; the result is the payload of its answer, or a `GatewayError`.
    func call(_ opcode: Opcode, payload: [UInt8], on loop: any EventLoop) -> EventLoopFuture<[UInt8]> {
        guard isUsable else { return loop.makeFailedFuture(GatewayError.sessionEnded.with(effect: .notExecuted)) }
        let promise = loop.makePromise(of: [UInt8].self)
        let id = session.submit(opcode, payload: payload)
        let bound = NIOLoopBound(self, eventLoop: loop)
        let timer = loop.scheduleTask(in: Self.answerTimeout) {
            guard bound.value.waiting.removeValue(forKey: id) != nil else { return }
            promise.fail(GatewayError(.timeout, message: "no answer has come in time").with(effect: .unknown))
        }
        waiting[id] = (promise, timer)
        flush()
        return promise.futureResult
    }

    /// Begins a subscription of events; its stream is told when the server has accepted it.
    func subscribe(_ payload: [UInt8], to stream: EventLineStream) {
        guard isUsable else { return stream.subscriptionRefused(.sessionEnded) }
        let id = session.submit(.subscribeEvents, payload: payload)
        streams[id] = stream
        stream.onCredit = { [weak self] credit in
            guard let self else { return }
            _ = session.submit(EventCreditRequest(subscription: id, totalCredit: credit))
            flush()
        }
        stream.onClose = { [weak self] in
            guard let self else { return }
            streams[id] = nil
            guard isUsable else { return }
            _ = session.submit(UnsubscribeEventsRequest(subscription: id))
            flush()
        }
        flush()
    }
}
