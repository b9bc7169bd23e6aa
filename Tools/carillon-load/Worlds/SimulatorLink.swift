import CarillonClient
import Foundation
import NIOCore
import NIOPosix

/// The control port of the simulator of APNs: tells when pushes came.
struct SimulatorLink: Sendable {
    /// What has come since the last time.
    struct Arrivals: Decodable, Sendable {
        /// Numbers that pushes bore and when they came, in microseconds since 1970, by turns.
        var arrivals: [UInt64]
        /// How many more came than were kept.
        var lost: UInt64
    }

    private let channel: any Channel
    private let answers: NIOLoopBound<Answers>

    /// Answers larger than this are none of the simulator.
    private static let maxAnswer = 256 << 20

    static func connect(to address: CarillonClient.Configuration.Address) async throws -> SimulatorLink {
        guard case .tcp(let host, let port) = address else { throw Problem("--simulator-control is HOST:PORT") }
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(5))
                .connect(host: host, port: port)
                .flatMapThrowing { channel in
                    let answers = Answers()
                    try channel.pipeline.syncOperations.addHandler(answers)
                    return SimulatorLink(
                        channel: channel, answers: NIOLoopBound(answers, eventLoop: channel.eventLoop))
                }.get()
        } catch {
            throw Problem("No simulator answers at \(host):\(port) (--simulator-control): \(error)")
        }
    }

    /// What came under `key` since the last time; the first time nothing, and the simulator begins to look for it.
    func arrivals(under key: String) async throws -> Arrivals {
        let line = try await ask("arrivals \(key)")
        do {
            return try JSONDecoder().decode(Arrivals.self, from: Data(line.utf8))
        } catch {
            throw Problem("The simulator does not tell of arrivals; it said: \(line.prefix(200))")
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

    /// Lines up to an empty one are an answer.
    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var waiting = CircularBuffer<EventLoopPromise<String>>()
        private var received: [UInt8] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
            guard received.count <= SimulatorLink.maxAnswer else { return context.close(promise: nil) }
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

/// Something that stops the run, in words for the user.
struct Problem: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
