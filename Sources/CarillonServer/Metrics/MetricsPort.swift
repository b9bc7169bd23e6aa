import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The HTTP port for `/metrics`, `/healthz` and `/readyz`.
///
/// It has a thread of its own. Each connection gets one answer, and `timeout` for it; a slow or hostile peer costs only
/// itself.
final class MetricsPort: Sendable {
    /// The most connections at a time; one more is closed at once.
    static let connectionLimit = 32
    /// The time of a connection from its first byte to its last.
    static let timeout = TimeAmount.seconds(10)
    /// The longest body of a request; none is needed.
    static let bodyByteLimit = 4_096

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let health: Health
    private let text: @Sendable (any EventLoop) -> EventLoopFuture<String>
    private let listening = Mutex<(any Channel)?>(nil)
    private let connections = Atomic<Int>(0)

    /// - Parameter text: makes the answer to `/metrics`.
    init(health: Health, text: @escaping @Sendable (any EventLoop) -> EventLoopFuture<String>) {
        self.health = health
        self.text = text
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
            listening.withLock { $0 = channel }
            return channel.localAddress?.port ?? port
        } catch {
            throw SettingsError(listeningOn: "\(host):\(port)", of: .metricsHost, .metricsPort, because: error)
        }
    }

    private func accept(_ channel: any Channel) throws {
        let isOneTooMany = connections.wrappingAdd(1, ordering: .relaxed).newValue > Self.connectionLimit
        channel.closeFuture.whenComplete { [self] _ in connections.wrappingSubtract(1, ordering: .relaxed) }
        guard !isOneTooMany else { return channel.close(promise: nil) }
        let deadline = channel.eventLoop.scheduleTask(in: Self.timeout) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: true)
        try channel.pipeline.syncOperations.addHandler(MetricsHandler(health: health, text: text))
    }

    /// Closes the port.
    func close() async {
        let channel = listening.withLock { $0 }
        try? await channel?.close().get()
        try? await group.shutdownGracefully()
    }
}
