import CarillonCore
import CarillonWire
import NIOCore

/// Handles a connection beyond a limit: sends the reason and closes at once, so that the connection holds no memory.
final class RejectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: ConnectionLimit

    init(_ limit: ConnectionLimit) {
        self.limit = limit
    }

    func channelActive(context: ChannelHandlerContext) {
        var writer = FrameWriter()
        writer.raw(Preface.serverBytes(choosing: 0))
        writer.error(
            .tooManyConnections("no room for another connection", limit: limit), opcode: .none, id: 0)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: writer.bytes))).whenComplete {
            _ in
            channel.close(promise: nil)
        }
    }
}

extension RequestError {
    /// Makes the error of a connection that is closed because of a limit.
    static func tooManyConnections(_ reason: String, limit: ConnectionLimit) -> RequestError {
        RequestError(
            .tooManyConnections, scope: .connection, retry: .after(milliseconds: 1_000),
            message: "\(reason): \(limit.setting.name) is \(limit.maximum)", limit: UInt64(limit.maximum))
    }
}
