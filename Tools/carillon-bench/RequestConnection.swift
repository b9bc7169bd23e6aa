import CarillonWire
import NIOCore
import NIOPosix

/// A client with prepared requests. It sends a window of them in one write, waits for all their answers, and sends the
/// next window, like `redis-benchmark -P`.
final class RequestConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A window of requests that are written at once.
    struct Window: Sendable {
        var frames: ByteBuffer
        var count: Int
    }

    /// The first free request id. The handshake uses the ids below it.
    static let firstID: UInt64 = 3

    private let key: [UInt8]
    private var windows: [Window]
    private let ready: EventLoopPromise<Void>
    private let done: EventLoopPromise<Int>
    private var unread = ByteBuffer()
    private var hasPreface = false
    /// The number of answers to wait for before the next write; at first the answers of the handshake.
    private var awaitedCount = 2
    private var isOpen = false
    private var sentCount = 0
    private var refusedCount = 0

    /// Makes the handler of a connection.
    ///
    /// - Parameters:
    ///   - ready: a promise that succeeds when the client is authenticated.
    ///   - done: a promise that succeeds with the number of refusals when every request is answered.
    init(key: [UInt8], windows: [Window], ready: EventLoopPromise<Void>, done: EventLoopPromise<Int>) {
        self.key = key
        self.windows = windows
        self.ready = ready
        self.done = done
    }

    func channelActive(context: ChannelHandlerContext) {
        var writer = FrameWriter()
        writer.raw(Preface.clientBytes)
        writer.request(HelloRequest(software: "carillon-bench/1.0"), id: 1)
        writer.request(AuthenticateRequest(key: key), id: 2)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: writer.bytes)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        if !hasPreface {
            guard unread.readableBytes >= Preface.byteCount else { return }
            unread.moveReaderIndex(forwardBy: Preface.byteCount)
            hasPreface = true
        }
        while let header = unread.withUnsafeReadableBytes(FrameHeader.init),
            unread.readableBytes >= FrameHeader.byteCount + Int(header.length)
        {
            unread.moveReaderIndex(forwardBy: FrameHeader.byteCount + Int(header.length))
            switch FrameKind(rawValue: header.kind) {
            case .answer: awaitedCount -= 1
            case .error:
                awaitedCount -= 1
                refusedCount += 1
            default: break
            }
        }
        unread.discardReadBytes()
        guard awaitedCount == 0 else { return }
        if isOpen { sendNext(context.channel) } else { open() }
    }

    private func open() {
        isOpen = true
        guard refusedCount == 0 else { return ready.fail(RefusedError()) }
        ready.succeed(())
    }

    private struct RefusedError: Error {}

    /// Sends the next window. Call it once, when all connections are ready.
    func sendNext(_ channel: any Channel) {
        guard sentCount < windows.count else { return done.succeed(refusedCount) }
        awaitedCount = windows[sentCount].count
        channel.writeAndFlush(windows[sentCount].frames, promise: nil)
        sentCount += 1
    }

    func channelInactive(context: ChannelHandlerContext) {
        ready.fail(ChannelError.eof)
        done.fail(ChannelError.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(error)
        done.fail(error)
        context.close(promise: nil)
    }
}
