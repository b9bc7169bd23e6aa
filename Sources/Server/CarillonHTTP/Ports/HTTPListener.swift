package import CarillonTLS
import CarillonTLSChannel
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens on an HTTP port, counts its connections, and closes them at the end. All of it runs on one loop.
// Safety: `bind`, `close` and `apply(tls:)` may be called from anywhere and use only what is behind the lock, or
// the loop. All else is used on the loop.
package final class HTTPListener: @unchecked Sendable {
    let service: any HTTPService
    let limits: HTTPLimits
    /// The bytes of all bodies that are held. On the loop.
    var heldBodyBytes = 0
    /// True once the port is closed. On the loop.
    private(set) var isClosing = false
    private let loop: any EventLoop
    private let tls: Mutex<TLSContext?>
    private let listeningChannel = Mutex<(any Channel)?>(nil)
    /// The connections, the oldest first. On the loop.
    private var connections: [(channel: any Channel, handler: HTTPHandler)] = []

    /// Makes a listener; `bind` opens its port.
    ///
    /// - Parameter tls: nil for plaintext.
    init(_ service: any HTTPService, limits: HTTPLimits = HTTPLimits(), tls: TLSContext?, on loop: any EventLoop) {
        self.service = service
        self.limits = limits
        self.tls = Mutex(tls)
        self.loop = loop
    }

    /// Gives new connections another certificate.
    package func apply(tls context: TLSContext?) { tls.withLock { $0 = context } }

    /// Begins to listen and returns the port.
    package func bind(host: String, port: Int) async throws -> Int {
        let channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 * 1_024, high: 256 * 1_024))
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel) }
            }
            .bind(host: host, port: port).get()
        listeningChannel.withLock { $0 = channel }
        return channel.localAddress?.port ?? port
    }

    private func accept(_ channel: any Channel) throws {
        guard makeRoom() else { return channel.close(promise: nil) }
        let handler = HTTPHandler(self)
        connections.append((channel, handler))
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.connections.removeAll { $0.channel === channel } }
        _ = channel.setOption(.tcpOption(.tcp_nodelay), value: 1)
        if let context = tls.withLock({ $0 }) {
            try channel.pipeline.syncOperations.addHandler(
                TLSHandler(server: context, handshakeTimeout: limits.requestTimeout))
        }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: true)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    /// Closes the oldest connection that is idle, if there are too many connections; returns false if none is idle.
    private func makeRoom() -> Bool {
        guard connections.count >= limits.connections else { return true }
        guard let index = connections.firstIndex(where: { $0.handler.isIdle }) else { return false }
        connections.remove(at: index).channel.close(promise: nil)
        return true
    }

    /// The time from the close of the port to the end of connections that stream lines.
    private static let streamGrace = TimeAmount.seconds(1)
    /// The time from the close of the port to the end of connections without an answer: a request may wait for a
    /// position for a second before it is answered.
    private static let answerGrace = TimeAmount.seconds(2)

    /// Stops listening, and closes the connections: idle ones at once, others after their answer or when their grace is
    /// over.
    package func close() async {
        let channel = listeningChannel.withLock { $0 }
        // Why try?: a socket that cannot be closed is closed already.
        try? await channel?.close().get()
        // Why try?: a loop that has ended has no connection.
        let open = try? await loop.submit { [self] () -> [any Channel] in
            isClosing = true
            for each in connections where each.handler.isIdle { each.channel.close(promise: nil) }
            return connections.map(\.channel)
        }.get()
        guard let open, !open.isEmpty else { return }
        let timeouts = [
            loop.scheduleTask(in: Self.streamGrace) { [self] in
                for each in connections where each.handler.isStreaming { each.channel.close(promise: nil) }
            },
            loop.scheduleTask(in: Self.answerGrace) { for each in open { each.close(promise: nil) } },
        ]
        // Why try?: how each connection ended does not matter.
        _ = try? await EventLoopFuture.whenAllComplete(open.map(\.closeFuture), on: loop).get()
        for timeout in timeouts { timeout.cancel() }
    }
}
