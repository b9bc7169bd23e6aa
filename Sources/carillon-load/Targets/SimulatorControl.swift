import CarillonClient
import Foundation
import NIOCore
import NIOPosix

/// A client of the APNs simulator's control port, which reports arrivals of pushes.
struct SimulatorControl: Sendable {
    /// The arrivals since the last request.
    struct Arrivals: Decodable, Sendable {
        /// The markers of pushes and their arrival times in microseconds since 1970, alternating.
        var arrivals: [UInt64]
        /// The number of arrivals that were not stored.
        var lost: UInt64
    }

    private let channel: any Channel
    private let answers: NIOLoopBound<Answers>

    /// The largest answer, in bytes.
    private static let maximumAnswerBytes = 256 << 20

    static func connect(to address: CarillonClient.Configuration.Address) async throws -> SimulatorControl {
        guard case .tcp(let host, let port) = address else { throw LoadError("--simulator-control is HOST:PORT") }
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(5))
                .connect(host: host, port: port)
                .flatMapThrowing { channel in
                    let answers = Answers()
                    try channel.pipeline.syncOperations.addHandler(answers)
                    return SimulatorControl(
                        channel: channel, answers: NIOLoopBound(answers, eventLoop: channel.eventLoop))
                }.get()
        } catch {
            throw LoadError("No simulator answers at \(host):\(port) (--simulator-control): \(error)")
        }
    }

    /// The arrivals with the marker key `key` since the last request; the first request starts the recording.
    func arrivals(under key: String) async throws -> Arrivals {
        let line = try await ask("arrivals \(key)")
        do {
            return try JSONDecoder().decode(Arrivals.self, from: Data(line.utf8))
        } catch {
            throw LoadError("The simulator does not report arrivals; it answered: \(line.prefix(200))")
        }
    }

    func close() { channel.close(promise: nil) }

    private func ask(_ line: String) async throws -> String {
        let promise = channel.eventLoop.makePromise(of: String.self)
        channel.eventLoop.execute {
            answers.value.waiting.append(promise)
            if !channel.isActive { answers.value.end() }
        }
        channel.writeAndFlush(ByteBuffer(string: line + "\n"), promise: nil)
        return try await promise.futureResult.get()
    }

    /// The handler of answers: an answer is the lines up to an empty one.
    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var waiting = CircularBuffer<EventLoopPromise<String>>()
        private var received: [UInt8] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
            guard received.count <= SimulatorControl.maximumAnswerBytes else { return context.close(promise: nil) }
            guard received.suffix(2) == [0x0A, 0x0A] else { return }
            waiting.popFirst()?.succeed(String(decoding: received.dropLast(2), as: UTF8.self))
            received.removeAll(keepingCapacity: true)
        }

        func channelInactive(context: ChannelHandlerContext) {
            end()
            context.fireChannelInactive()
        }

        func end() {
            while let promise = waiting.popFirst() { promise.fail(ChannelError.eof) }
        }
    }
}
