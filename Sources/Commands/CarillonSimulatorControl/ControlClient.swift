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
    private let responseReader: NIOLoopBound<ControlResponseReader>

    /// Connects within five seconds, on an event loop of the whole process.
    package static func connect(host: String, port: Int) -> EventLoopFuture<ControlClient> {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .connect(host: host, port: port)
            .flatMapThrowing { channel in
                let responseReader = ControlResponseReader()
                try channel.pipeline.syncOperations.addHandler(responseReader)
                return ControlClient(
                    channel: channel, responseReader: NIOLoopBound(responseReader, eventLoop: channel.eventLoop))
            }
    }

    /// Sends a request, which is a line without its end.
    ///
    /// - Returns: the response; it fails if the connection ends before.
    package func ask(_ line: String) -> EventLoopFuture<Response> {
        let promise = channel.eventLoop.makePromise(of: Response.self)
        channel.eventLoop.execute {
            responseReader.value.waiting.append(promise)
            if !channel.isActive { responseReader.value.fail() }
        }
        channel.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
        return promise.futureResult
    }

    /// Closes the connection. Requests without a response fail.
    @discardableResult
    package func close() -> EventLoopFuture<Void> { channel.close() }
}
