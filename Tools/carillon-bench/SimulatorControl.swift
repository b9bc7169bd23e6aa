import NIOCore
import NIOPosix

/// A client of the APNs simulator's control port: a request is a line, an answer some lines and an empty one.
struct SimulatorControl: Sendable {
    private let channel: any Channel
    private let answers: NIOLoopBound<Answers>

    static func connect(port: Int) -> EventLoopFuture<SimulatorControl> {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port)
            .flatMapThrowing { channel in
                let answers = Answers()
                try channel.pipeline.syncOperations.addHandler(answers)
                return SimulatorControl(channel: channel, answers: NIOLoopBound(answers, eventLoop: channel.eventLoop))
            }
    }

    /// Sends a request; the future has the time of the answer.
    func ask(_ line: String) -> EventLoopFuture<ContinuousClock.Instant> {
        let promise = channel.eventLoop.makePromise(of: ContinuousClock.Instant.self)
        channel.eventLoop.execute { answers.value.waiting.append(promise) }
        channel.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
        return promise.futureResult
    }

    func close() -> EventLoopFuture<Void> { channel.close() }

    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var waiting = CircularBuffer<EventLoopPromise<ContinuousClock.Instant>>()
        private var last: UInt8?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            for byte in unwrapInboundIn(data).readableBytesView {
                if byte == 0x0A, last == 0x0A { waiting.popFirst()?.succeed(.now) }
                last = byte
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            while let promise = waiting.popFirst() { promise.fail(ChannelError.eof) }
            context.fireChannelInactive()
        }
    }
}
