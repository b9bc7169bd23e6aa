import CarillonCore
import CarillonGateway
import NIOCore

/// The channel of a link: requests in, answers out, in any order. Confined to its loop.
final class LinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest wait for an answer.
    static let answerTime = TimeAmount.seconds(45)

    /// The principal and its grants as JSON, once the link is open.
    private(set) var principalJSON: [UInt8] = []
    /// True while the link takes new requests.
    private(set) var isUsable = false
    /// The closure that is called when the server no longer accepts the key.
    var onWithdrawal: (() -> Void)?

    private var link: ServerLink
    private let gateway: Gateway
    private let opened: EventLoopPromise<Void>
    private var waiting: [UInt64: (promise: EventLoopPromise<[UInt8]>, timer: Scheduled<Void>)] = [:]
    private var streams: [UInt64: EventLineStream] = [:]
    private var context: ChannelHandlerContext?

    /// The number of requests without an answer, and of streams of events.
    var load: Int { waiting.count + streams.count }

    init(key: [UInt8], gateway: Gateway, opened: EventLoopPromise<Void>) {
        link = ServerLink(key: key)
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
        link.append(unwrapInboundIn(data).readableBytesView)
        var isDone = false
        while !isDone {
            let step = link.next()
            if case .needMore = step { isDone = true } else { take(step) }
        }
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.sessionEnded)
        self.context = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func take(_ step: ServerLink.Step) {
        switch step {
        case .needMore, .proceed: break
        case .opened(let payload):
            principalJSON = gateway.principalJSON(payload)
            isUsable = true
            opened.succeed()
        case .answered(let id, let opcode, let payload):
            if let stream = streams[id], opcode == Gateway.subscribeEvents { return stream.subscriptionAccepted() }
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
            stream.event(json)
        case .goingAway(let isWithdrawn):
            isUsable = false
            if isWithdrawn { onWithdrawal?() }
            for stream in streams.values { stream.sessionEnded() }
        case .closed(let payload):
            end(payload.map { gateway.error(payload: $0) } ?? .sessionEnded)
            context?.close(promise: nil)
        }
    }

    private func end(_ error: GatewayError) {
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
        let bytes = link.takeOutput()
        guard !bytes.isEmpty, let context else { return }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    // MARK: Requests

    /// Sends a request; the result is the payload of its answer, or a `GatewayError`.
    func call(opcode: UInt16, payload: [UInt8], on loop: any EventLoop) -> EventLoopFuture<[UInt8]> {
        guard isUsable else { return loop.makeFailedFuture(GatewayError.sessionEnded.with(effect: .notExecuted)) }
        let promise = loop.makePromise(of: [UInt8].self)
        let id = link.submit(opcode: opcode, payload: payload)
        let bound = NIOLoopBound(self, eventLoop: loop)
        let timer = loop.scheduleTask(in: Self.answerTime) {
            guard bound.value.waiting.removeValue(forKey: id) != nil else { return }
            promise.fail(GatewayError(.timeout, "no answer has come in time").with(effect: .unknown))
        }
        waiting[id] = (promise, timer)
        flush()
        return promise.futureResult
    }

    /// Begins a subscription of events; its stream is told when the server has accepted it.
    func subscribe(_ payload: [UInt8], to stream: EventLineStream) {
        guard isUsable else { return stream.subscriptionRefused(.sessionEnded) }
        let id = link.submit(opcode: Gateway.subscribeEvents, payload: payload)
        streams[id] = stream
        stream.onCredit = { [weak self] credit in
            guard let self else { return }
            _ = link.submit(opcode: Gateway.eventCredit, payload: gateway.credit(credit, subscription: id))
            flush()
        }
        stream.onClose = { [weak self] in
            guard let self else { return }
            streams[id] = nil
            guard isUsable else { return }
            _ = link.submit(opcode: Gateway.unsubscribeEvents, payload: gateway.end(subscription: id))
            flush()
        }
        flush()
    }
}
