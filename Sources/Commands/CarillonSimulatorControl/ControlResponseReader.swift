import NIOCore

/// A reader of the responses of a control port: lines up to an empty one.
final class ControlResponseReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The requests without a response, in the order in which they were sent.
    var waiting = CircularBuffer<EventLoopPromise<ControlClient.Response>>()
    /// The bytes of a response that has not ended.
    private var received: [UInt8] = []
    /// The beginning of the line whose end was not found yet, and the place from where its end is searched for.
    private var (lineStart, searchStart) = (0, 0)

    /// The largest response, in bytes.
    private static let maximumBytes = 256 << 20

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard received.count <= Self.maximumBytes else { return context.close(promise: nil) }
        while let end = received[searchStart...].firstIndex(of: UInt8(ascii: "\n")) {
            if end == lineStart { takeResponse(endingAt: end) } else { (lineStart, searchStart) = (end + 1, end + 1) }
        }
        searchStart = received.count
    }

    /// Answers the oldest request with the text before the empty line at an index.
    private func takeResponse(endingAt end: Int) {
        let text = String(decoding: received[..<max(0, end - 1)], as: UTF8.self)
        received.removeFirst(end + 1)
        lineStart = 0
        searchStart = 0
        waiting.popFirst()?.succeed(ControlClient.Response(text: text, receivedAt: .now))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail()
        context.fireChannelInactive()
    }

    /// Fails the requests that have no response, because the connection has ended.
    func fail() {
        while let promise = waiting.popFirst() { promise.fail(ChannelError.eof) }
    }
}
