import CarillonCore
import CarillonWire
import NIOCore

/// Turns away a connection that passes a limit: it sends the reason and closes at once, to keep no memory for it.
final class RejectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let rejection: ConnectionLimiter.Rejection

    init(_ rejection: ConnectionLimiter.Rejection) {
        self.rejection = rejection
    }

    func channelActive(context: ChannelHandlerContext) {
        var writer = FrameWriter()
        writer.raw(Preface.server(choosing: 0))
        writer.error(
            ErrorReply(
                .tooManyConnections, scope: .connection, retry: .after(milliseconds: 1_000),
                message: "no room for another connection: \(rejection.setting.name) is \(rejection.limit)",
                limit: UInt64(rejection.limit)),
            opcode: Opcode(rawValue: 0), id: 0)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: writer.bytes))).whenComplete {
            _ in
            channel.close(promise: nil)
        }
    }
}
