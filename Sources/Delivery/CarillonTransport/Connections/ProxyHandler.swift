import CarillonProvider
import NIOCore

/// The handler that asks a proxy for a tunnel, and then removes itself from the channel.
final class ProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let tunnel: EventLoopPromise<Void>
    private var answer: [UInt8] = []
    private var isDecided = false

    private init(_ tunnel: EventLoopPromise<Void>) {
        self.tunnel = tunnel
    }

    /// Asks the proxy for a tunnel, and returns the channel once it is one; if the proxy opens none, the channel is
    /// closed. Called on the channel's event loop.
    static func connect(
        _ channel: any Channel, to target: (host: String, port: Int), credentials: ProxyCredentials?,
        within limit: TimeAmount
    ) -> EventLoopFuture<any Channel> {
        let tunnel = channel.eventLoop.makePromise(of: Void.self)
        let timeout = channel.eventLoop.scheduleTask(in: limit) { tunnel.fail(Proxy.TunnelError.silent) }
        do {
            let handler = ProxyHandler(tunnel)
            try channel.pipeline.syncOperations.addHandler(handler)
            let request =
                credentials?.withUnsafeBytes {
                    Proxy.connectRequest(host: target.host, port: target.port, credentials: $0)
                }
                ?? Proxy.connectRequest(host: target.host, port: target.port, credentials: [])
            channel.writeAndFlush(channel.allocator.buffer(bytes: request), promise: nil)
            let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
            tunnel.futureResult.whenComplete { _ in timeout.cancel() }
            return tunnel.futureResult
                .flatMap { channel.pipeline.syncOperations.removeHandler(bound.value) }
                .map { channel }
                .flatMapErrorThrowing { error in
                    channel.close(promise: nil)
                    throw error
                }
        } catch {
            // The channel is closed already.
            timeout.cancel()
            tunnel.fail(error)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDecided else { return }
        answer += unwrapInboundIn(data).readableBytesView
        switch Proxy.parseAnswer(answer) {
        case .needMore: return
        // The client begins TLS: the provider sends nothing before it.
        case .connected(answer.count): tunnel.succeed()
        case .connected: tunnel.fail(Proxy.TunnelError.notHTTP)
        case .refused(let refusal): tunnel.fail(refusal)
        }
        isDecided = true
    }

    func channelInactive(context: ChannelHandlerContext) {
        tunnel.fail(Proxy.TunnelError.silent)
        context.fireChannelInactive()
    }
}
