import CarillonCore
import CarillonSession
package import CarillonTLS
import CarillonTLSChannel
import NIOCore
import NIOPosix

/// Makes channels to the server: address, TLS, and a `ClientConnection` as the last handler.
final class ServerConnector {
    private let configuration: CarillonClient.Configuration
    private let eventLoop: any EventLoop
    private var context: TLSContext?

    init(_ configuration: CarillonClient.Configuration, _ eventLoop: any EventLoop) {
        self.configuration = configuration
        self.eventLoop = eventLoop
    }

    /// Connects and adds `connection` to the channel; on the event loop.
    func connect(_ connection: ClientConnection) -> EventLoopFuture<any Channel> {
        guard case .tls(let authorities, let certificate, let name) = configuration.security else {
            return connect(connection, tls: nil)
        }
        let serverName = name ?? host
        if let context { return connect(connection, tls: (context, serverName)) }
        // Certificates are read from files: not on the event loop, which all calls share.
        let made = NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: eventLoop) { () throws -> TLSContext in
            try TLSContext.client(
                trust: authorities.map { $0.trust } ?? .system,
                applicationProtocols: ["carillon/1"],
                identity: certificate.map { try $0.identity() }
            )
        }
        return made.assumeIsolated().flatMap { context in
            self.context = context
            return self.connect(connection, tls: (context, serverName))
        }.nonisolated()
    }

    private var host: String {
        if case .tcp(let host, _) = configuration.address { host } else { "localhost" }
    }

    private func connect(_ connection: ClientConnection, tls: (TLSContext, String)?) -> EventLoopFuture<any Channel> {
        let timeout = TimeAmount.milliseconds(Int64(clamping: configuration.connectTimeout.milliseconds))
        let connection = NIOLoopBound(connection, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let (context, name) = tls {
                        let handler = try TLSHandler(client: context, serverName: name, handshakeTimeout: timeout)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(connection.value)
                }
            }
        return switch configuration.address {
        case .tcp(let host, let port):
            (0...65_535).contains(port)
                ? bootstrap.connect(host: host, port: port)
                : eventLoop.makeFailedFuture(TLSError.misuse("\(port) is not a port"))
        case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
        }
    }
}

extension CarillonClient.Configuration.PEM {
    /// The authorities of this text.
    package var trust: TLSContext.Trust {
        switch self {
        case .file(let path): .authorities(path: path)
        case .text(let text): .pem(Array(text.utf8))
        }
    }
}

extension CarillonClient.Configuration.ClientCertificate {
    /// The certificate with its key.
    package func identity() throws(TLSError) -> TLSIdentity {
        switch (chain, key) {
        case (.file(let chain), .file(let key)): return try .pemFiles(certificateChain: chain, key: key)
        case (.text(let chain), .text(let key)):
            return try .pem(certificateChain: Array(chain.utf8), key: SecretBytes(copying: key.utf8))
        case (.file(let chain), .text(let key)):
            return try .pem(certificateFile: chain, key: SecretBytes(copying: key.utf8))
        case (.text(let chain), .file(let key)):
            return try .pem(certificateChain: Array(chain.utf8), keyFile: key)
        }
    }
}
