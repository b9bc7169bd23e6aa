package import NIOCore
import NIOPosix

/// A client of the control port of a simulator: a request is a line, a response some lines and an empty one.
///
/// Requests may follow each other without a pause; their responses come in the same order.
package struct ControlClient: Sendable {
    /// A response of the simulator.
    package struct Response: Sendable {
        /// The lines of the response, without the empty one.
        package let text: String
        /// The time at which the end of the response was read.
        package let receivedAt: ContinuousClock.Instant
    }

    private let channel: any Channel
    private let responses: NIOLoopBound<ControlResponses>

    /// Connects within five seconds, on an event loop of the whole process.
    package static func connect(host: String, port: Int) -> EventLoopFuture<ControlClient> {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .connect(host: host, port: port)
            .flatMapThrowing { channel in
                let responses = ControlResponses()
                try channel.pipeline.syncOperations.addHandler(responses)
                return ControlClient(
                    channel: channel, responses: NIOLoopBound(responses, eventLoop: channel.eventLoop))
            }
    }

    /// Sends a request, which is a line without its end.
    ///
    /// - Returns: the response; it fails if the connection ends before.
    package func ask(_ line: String) -> EventLoopFuture<Response> {
        let promise = channel.eventLoop.makePromise(of: Response.self)
        channel.eventLoop.execute {
            responses.value.waiting.append(promise)
            if !channel.isActive { responses.value.fail() }
        }
        channel.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
        return promise.futureResult
    }

    /// Closes the connection. Requests without a response fail.
    @discardableResult
    package func close() -> EventLoopFuture<Void> { channel.close() }
}

/// A reader of the responses of a control port: lines up to an empty one.
final class ControlResponses: ChannelInboundHandler {
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
