import CarillonSession
import CarillonTLS
import CarillonTLSChannel
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The listening side: sockets, TLS, and the sessions that live on them.
final class Listener: Sendable {
    /// What new connections get.
    struct Terms: Sendable {
        var shared: SessionHandler.Shared
        /// Nothing = plaintext.
        var tls: TLSContext?
    }

    private let terms: Mutex<Terms>
    private let group: any EventLoopGroup
    private let listening = Mutex<[any Channel]>([])
    private let sessions = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(_ terms: Terms, group: any EventLoopGroup) {
        self.terms = Mutex(terms)
        self.group = group
    }

    /// How long bytes may be on their way over TCP before the connection is given up.
    private static let acknowledgementMilliseconds = 60_000

    /// New connections get other terms; those that are there keep theirs, save what is shared.
    func change(to terms: Terms) { self.terms.withLock { $0 = terms } }

    /// Listens on a TCP address and returns the port.
    func bind(host: String, port: Int) async throws(SettingsError) -> Int {
        do {
            let channel = try await bootstrap(isLocal: false).bind(host: host, port: port).get()
            listening.withLock { $0.append(channel) }
            return channel.localAddress?.port ?? port
        } catch {
            throw SettingsError(listeningOn: "\(host):\(port)", of: .listenHost, .listenPort, because: error)
        }
    }

    /// Listens on a Unix socket; a stale one of that name is removed.
    func bind(unixSocket path: String) async throws(SettingsError) {
        do {
            let channel = try await bootstrap(isLocal: true)
                .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
            listening.withLock { $0.append(channel) }
        } catch {
            throw SettingsError(listeningOn: path, of: .listenUnixSocket, because: error)
        }
    }

    /// - Parameter isLocal: a Unix socket: never TLS.
    private func bootstrap(isLocal: Bool) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 * 1_024, high: 1_024 * 1_024))
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 2_048, initial: 4_096, maximum: 65_536)
            )
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, isLocal: isLocal) }
            }
    }

    private func accept(_ channel: any Channel, isLocal: Bool) throws {
        let terms = terms.withLock { $0 }
        let (shared, tls) = (terms.shared, isLocal ? nil : terms.tls)
        let address = channel.remoteAddress?.ipAddress ?? "unix"
        if let refusal = shared.limiter.admit(address) {
            shared.metrics.connectionRefused()
            guard tls == nil else { return channel.close(promise: nil) }
            return try channel.pipeline.syncOperations.addHandler(RefusalHandler(refusal))
        }
        if address != "unix" {
            // Answers are small and awaited. A peer that vanished with bytes outstanding is given up in time; later than the
            // session gives up one that does not read, for the kernel does not tell the two apart.
            _ = channel.setOption(.tcpOption(.tcp_nodelay), value: 1)
            _ = channel.setOption(.socketOption(.so_keepalive), value: 1)
            _ = channel.setOption(.tcpOption(.init(rawValue: 18)), value: Self.acknowledgementMilliseconds)
        }
        let key = ObjectIdentifier(channel)
        sessions.withLock { $0[key] = channel }
        channel.closeFuture.whenComplete { [self] _ in sessions.withLock { $0[key] = nil } }
        do {
            if let tls {
                let timeout = TimeAmount.milliseconds(Int64(clamping: shared.limits.handshakeMilliseconds))
                try channel.pipeline.syncOperations.addHandler(TLSHandler(server: tls, handshakeTimeout: timeout))
            }
            try channel.pipeline.syncOperations.addHandler(
                SessionHandler(shared, address: address, usesTLS: tls != nil))
        } catch {
            // The channel never becomes active, so no session gives its place back.
            shared.limiter.handshakeEnded(address)
            shared.limiter.connectionEnded()
            throw error
        }
    }

    /// Sends a user event to every session and returns their channels; each is given the milliseconds that its client should
    /// wait before it connects again, should it have to: spread, so that they do not all come back at once.
    @discardableResult
    func tellSessions(_ event: (_ reconnectAfter: UInt32) -> some Sendable) -> [any Channel] {
        let open = Array(sessions.withLock { $0 }.values)
        for channel in open {
            channel.pipeline.fireUserInboundEventTriggered(event(.random(in: 200...1_000)))
        }
        return open
    }

    /// Takes no new connections, says GOAWAY on all, and waits until they are over, at most that long.
    func drain(within limit: TimeAmount) async {
        for channel in listening.withLock({ $0 }) { try? await channel.close().get() }
        let open = tellSessions { SessionHandler.Drain(reconnectAfter: $0) }
        let loop = group.next()
        let allClosed = EventLoopFuture.whenAllComplete(open.map(\.closeFuture), on: loop)
        let timeout = loop.scheduleTask(in: limit) { for channel in open { channel.close(promise: nil) } }
        _ = try? await allClosed.get()
        timeout.cancel()
    }
}
