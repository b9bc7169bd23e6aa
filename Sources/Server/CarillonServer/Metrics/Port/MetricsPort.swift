import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The HTTP port for `/metrics`, `/healthz` and `/readyz`.
///
/// It has a thread of its own. Each connection gets one answer, and little time for it. At the limit a connection is
/// closed for a new one: the oldest without a request, or else the oldest of all. So a slow or hostile peer harms only
/// itself, and probes of the server's health still get in.
final class MetricsPort: Sendable {
    static let maximumConnections = 32
    /// The time from the connection to the end of the request.
    static let requestTimeout = TimeAmount.seconds(2)
    /// The time from the connection to the end of the answer.
    static let answerTimeout = TimeAmount.seconds(10)
    /// The longest body of a request, in bytes; no request needs one.
    static let maximumBodyBytes = 4_096

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let health: Health
    private let metricsText: @Sendable (any EventLoop) -> EventLoopFuture<String>
    private let listeningChannel = Mutex<(any Channel)?>(nil)
    /// The connections, the oldest first.
    private let connections = Mutex<[Connection]>([])

    private struct Connection {
        var channel: any Channel
        var hasRequest = false
    }

    /// Makes a port; `bind` opens it.
    ///
    /// - Parameter metricsText: makes the answer to `/metrics`.
    init(health: Health, metricsText: @escaping @Sendable (any EventLoop) -> EventLoopFuture<String>) {
        self.health = health
        self.metricsText = metricsText
    }

    /// Begins to listen and returns the port.
    func bind(host: String, port: Int) async throws(SettingsError) -> Int {
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel) }
                }
                .bind(host: host, port: port).get()
            listeningChannel.withLock { $0 = channel }
            return channel.localAddress?.port ?? port
        } catch {
            throw SettingsError(listeningOn: "\(host):\(port)", of: .metricsHost, .metricsPort, because: error)
        }
    }

    /// Takes a new connection, on its event loop.
    func accept(_ channel: any Channel) throws {
        add(channel)
        let deadline = channel.eventLoop.scheduleTask(in: Self.answerTimeout) { channel.close(promise: nil) }
        let requestDeadline = channel.eventLoop.scheduleTask(in: Self.requestTimeout) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [self] _ in
            deadline.cancel()
            requestDeadline.cancel()
            connections.withLock { $0.removeAll { $0.channel === channel } }
        }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: true)
        let handler = MetricsHandler(health: health, metricsText: metricsText) { [self] in
            requestDeadline.cancel()
            requestReceived(channel)
        }
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    /// Adds a connection, and closes one if there are too many.
    private func add(_ channel: any Channel) {
        let displaced: (any Channel)? = connections.withLock { connections in
            connections.append(Connection(channel: channel))
            guard connections.count > Self.maximumConnections else { return nil }
            let index = connections.firstIndex { !$0.hasRequest && $0.channel !== channel } ?? 0
            return connections.remove(at: index).channel
        }
        displaced?.close(promise: nil)
    }

    private func requestReceived(_ channel: any Channel) {
        connections.withLock { connections in
            guard let index = connections.firstIndex(where: { $0.channel === channel }) else { return }
            connections[index].hasRequest = true
        }
    }

    func close() async {
        let channel = listeningChannel.withLock { $0 }
        // Why try?: what cannot be closed is closed already.
        try? await channel?.close().get()
        try? await group.shutdownGracefully()
    }
}
