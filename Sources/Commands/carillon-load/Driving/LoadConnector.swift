import CarillonClient
import CarillonSession
import CarillonTLS
import CarillonTLSChannel
import NIOCore
import NIOPosix

/// Connects to the server. It connects in the same way as CarillonClient.
struct LoadConnector: Sendable {
    private let configuration: CarillonClient.Configuration
    private let tls: (context: TLSContext, serverName: String)?

    /// Reads the certificates that the configuration names.
    init(_ configuration: CarillonClient.Configuration) throws {
        self.configuration = configuration
        tls = try configuration.tls(for: configuration.address).map { (try $0.context(), $0.serverName) }
    }

    var sessionOptions: ClientSessionOptions {
        ClientSessionOptions(software: CarillonLoad.software, key: configuration.literalKey)
    }

    /// Connects on an event loop and adds `connection` to the channel.
    func connect(_ connection: LoadConnection, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let connection = NIOLoopBound(connection, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(.seconds(5))
            .channelOption(.maxMessagesPerRead, value: 4)
            .channelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 4_096, initial: 65_536, maximum: 262_144)
            )
            .channelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = try TLSHandler(
                            client: tls.context, serverName: tls.serverName, handshakeTimeout: .seconds(5))
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
        return switch configuration.address {
        case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
        case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
        }
    }
}
