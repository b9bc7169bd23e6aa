import CarillonSession
import CarillonTLS
import CarillonTLSChannel
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The sockets that accept clients, and the channels of their sessions.
final class Listener: Sendable {
    /// The configuration of new connections.
    struct Configuration: Sendable {
        var dependencies: SessionDependencies
        /// The TLS context; nil for plaintext.
        var tls: TLSContext?
    }

    /// The bytes of waiting answers above which a session reads no more requests (`high`), and below which it reads on
    /// (`low`).
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 256 * 1_024, high: 1_024 * 1_024)
    /// The most bytes of a connection over TCP that the kernel takes and has not sent yet. Without this bound the
    /// server would make megabytes of answers for a client that reads nothing.
    private static let maximumUnsentBytes = 131_072
    /// How long written bytes may stay unacknowledged over TCP before the kernel ends the connection, in milliseconds.
    private static let acknowledgementTimeoutMilliseconds = 60_000
    /// The allocator of the buffers for reads: their size follows the bytes of the last reads.
    private static var allocator: AdaptiveRecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 2_048, initial: 4_096, maximum: 32_768)
    }

    private let configuration: Mutex<Configuration>
    private let group: any EventLoopGroup
    private let listeningChannels = Mutex<[any Channel]>([])
    private let sessions = Mutex<[ConnectionAdmission.ID: any Channel]>([:])

    init(_ configuration: Configuration, group: any EventLoopGroup) {
        self.configuration = Mutex(configuration)
        self.group = group
    }

    /// Gives new connections another configuration. Existing ones keep theirs.
    func apply(_ configuration: Configuration) { self.configuration.withLock { $0 = configuration } }

    /// Listens on a TCP address and returns the port.
    func bind(host: String, port: Int) async throws(SettingsError) -> Int {
        do {
            let channel = try await bootstrap(isLocal: false).bind(host: host, port: port).get()
            listeningChannels.withLock { $0.append(channel) }
            return channel.localAddress?.port ?? port
        } catch {
            throw SettingsError(listeningOn: "\(host):\(port)", of: .listenHost, .listenPort, because: error)
        }
    }

    /// Listens on a Unix socket. A socket of that name which an earlier run has left is removed.
    ///
    /// - Parameter mode: the permissions of the socket. A client needs the permission to write.
    func bind(unixSocket path: String, mode: UInt32) async throws(SettingsError) {
        do {
            let channel = try await bootstrap(isLocal: true)
                .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
            listeningChannels.withLock { $0.append(channel) }
        } catch {
            throw SettingsError(listeningOn: path, of: .listenUnixSocket, because: error)
        }
        // The socket was made with the permissions that the umask leaves.
        guard chmod(path, mode) == 0 else {
            throw SettingsError("listen.unixSocketMode", fault: "cannot be set: \(String(cString: strerror(errno)))")
        }
    }

    /// Makes a session with a client in this process. Returns the client's end of the connection, a file descriptor.
    ///
    /// - Parameter clientAddress: the client, as the log shows it.
    func openSession(for clientAddress: String) throws -> CInt {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw IOError(errnoCode: errno, reason: "socketpair")
        }
        let clientEnd = ends[1]
        // NIO owns its end from here on, and closes it if the channel cannot be made.
        ClientBootstrap(group: group)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.writeBufferWaterMark, value: Self.waterMark)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: Self.allocator)
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    try accept(channel, isLocal: true, clientAddress: clientAddress)
                }
            }
            .withConnectedSocket(ends[0])
            .whenFailure { _ in shutdown(clientEnd, CInt(SHUT_RDWR)) }
        return clientEnd
    }

    /// Makes the bootstrap of a listening socket.
    ///
    /// - Parameter isLocal: true for a Unix socket, which never has TLS.
    private func bootstrap(isLocal: Bool) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: Self.waterMark)
            // Bytes that were read and not decoded yet are in no memory budget, so they are few.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: Self.allocator)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel, isLocal: isLocal) }
            }
    }

    private func accept(_ channel: any Channel, isLocal: Bool, clientAddress: String? = nil) throws {
        let configuration = configuration.withLock { $0 }
        let dependencies = configuration.dependencies
        let tls = isLocal ? nil : configuration.tls
        guard let id = try admit(channel, isLocal: isLocal, dependencies: dependencies, usesTLS: tls != nil) else {
            return
        }
        if !isLocal {
            // Answers are small, and clients wait for them. The kernel ends a connection whose peer has vanished while
            // bytes are outstanding. It cannot tell such a peer from one that does not read, so it waits longer than
            // the session does.
            _ = channel.setOption(.tcpOption(.tcp_nodelay), value: 1)
            _ = channel.setOption(.socketOption(.so_keepalive), value: 1)
            _ = channel.setOption(.tcpOption(.notSentLowWater), value: Self.maximumUnsentBytes)
            _ = channel.setOption(.tcpOption(.userTimeout), value: Self.acknowledgementTimeoutMilliseconds)
        }
        do {
            if let tls {
                let timeout = TimeAmount.milliseconds(Int64(clamping: dependencies.limits.handshakeTimeoutMilliseconds))
                try channel.pipeline.syncOperations.addHandler(TLSHandler(server: tls, handshakeTimeout: timeout))
            }
            try channel.pipeline.syncOperations.addHandler(
                SessionHandler(
                    dependencies, channel: channel, id: id, usesTLS: tls != nil, clientAddress: clientAddress))
        } catch {
            // The channel never becomes active, so no session will uncount it.
            dependencies.limiter.connectionEnded(id)
            throw error
        }
    }

    /// Counts a connection, and closes the connections that give way to it.
    ///
    /// - Returns: its id; nil if there is no room for it. Then the connection is refused.
    private func admit(
        _ channel: any Channel, isLocal: Bool, dependencies: SessionDependencies, usesTLS: Bool
    ) throws -> ConnectionAdmission.ID? {
        guard let source = isLocal ? .unixSocket : ConnectionSource(channel.remoteAddress) else {
            // The client has gone already.
            channel.close(promise: nil)
            return nil
        }
        // Both happen under one lock: a connection that is counted can be found when it must give way.
        let decision = sessions.withLock { sessions in
            let decision = dependencies.limiter.admit(from: source)
            if case .admitted(let id, _) = decision { sessions[id] = channel }
            return decision
        }
        switch decision {
        case .rejected(let limit):
            dependencies.metrics.connectionRefused()
            if usesTLS {
                channel.close(promise: nil)
            } else {
                try channel.pipeline.syncOperations.addHandler(RejectionHandler(limit))
            }
            return nil
        case .admitted(let id, let displaced):
            channel.closeFuture.whenComplete { [self] _ in sessions.withLock { $0[id] = nil } }
            for displacement in displaced {
                dependencies.metrics.connectionDisplaced()
                let pipeline = sessions.withLock { $0[displacement.id]?.pipeline }
                pipeline?.fireUserInboundEventTriggered(SessionHandler.ConnectionDisplaced(limit: displacement.limit))
            }
            return id
        }
    }

    /// Sends a user event to every session.
    ///
    /// - Parameter event: makes the event of a session with the milliseconds that its client should wait if it has to
    ///   connect again. They are random, so that the clients do not all come back at once.
    /// - Returns: the channels of the sessions.
    @discardableResult
    func notifySessions(_ event: (_ reconnectAfterMilliseconds: UInt32) -> some Sendable) -> [any Channel] {
        let open = Array(sessions.withLock { $0 }.values)
        for channel in open {
            channel.pipeline.fireUserInboundEventTriggered(event(.random(in: 200...1_000)))
        }
        return open
    }

    /// Accepts no new connections, drains the sessions, and waits until they have ended, at most as long as `limit`.
    func drain(within limit: TimeAmount) async {
        // Why try?: a listening socket that cannot be closed is closed already.
        for channel in listeningChannels.withLock({ $0 }) { try? await channel.close().get() }
        let open = notifySessions { SessionHandler.BeginDraining(reconnectAfterMilliseconds: $0) }
        let loop = group.next()
        let allClosed = EventLoopFuture.whenAllComplete(open.map(\.closeFuture), on: loop)
        let timeout = loop.scheduleTask(in: limit) { for channel in open { channel.close(promise: nil) } }
        // Why try?: how each connection ended does not matter.
        _ = try? await allClosed.get()
        timeout.cancel()
    }
}

/// Options of TCP that SwiftNIO has no names for, with the numbers of `linux/tcp.h`.
extension NIOBSDSocket.Option {
    /// `TCP_NOTSENT_LOWAT`: the number of unsent bytes above which the socket is not writable.
    fileprivate static let notSentLowWater = NIOBSDSocket.Option(rawValue: 25)
    /// `TCP_USER_TIMEOUT`: milliseconds for which data may stay unacknowledged.
    fileprivate static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
}

/// The address of a client, as logs show it.
extension Channel {
    /// The client's IP address; `unix` if it is connected by a Unix socket.
    var clientAddress: String { remoteAddress?.ipAddress ?? "unix" }
}
