import CarillonCore
import CarillonSession
import CarillonTLS
import CarillonTLSChannel
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The connector of a client, which makes channels to servers with names, TLS, and a `ClientConnection` as the last
/// handler. It reads certificates and keys for each channel.
final class ServerConnector {
    private let configuration: CarillonClient.Configuration
    private let eventLoop: any EventLoop

    init(_ configuration: CarillonClient.Configuration, eventLoop: any EventLoop) {
        self.configuration = configuration
        self.eventLoop = eventLoop
    }

    /// Connects to an address and adds `connection` to the channel; on the event loop.
    func connect(
        _ connection: ClientConnection, to address: CarillonClient.Configuration.Address
    ) -> EventLoopFuture<any Channel> {
        guard let parameters = configuration.tls(for: address) else {
            return connect(connection, to: address, tls: nil)
        }
        // Certificates are read from files: not on the event loop, which all calls share.
        let made = NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: eventLoop) { () throws -> TLSContext in
            try parameters.context()
        }
        return made.assumeIsolated().flatMap { context in
            self.connect(connection, to: address, tls: (context, parameters.serverName))
        }.nonisolated()
    }

    /// Opens a channel for the connection, with TLS if there is a context.
    private func connect(
        _ connection: ClientConnection, to address: CarillonClient.Configuration.Address, tls: (TLSContext, String)?
    ) -> EventLoopFuture<any Channel> {
        let timeout = TimeAmount.milliseconds(Int64(clamping: max(configuration.connectTimeout.milliseconds, 1)))
        let connection = NIOLoopBound(connection, eventLoop: eventLoop)
        var bootstrap = ClientBootstrap(group: eventLoop)
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
        switch address {
        case .tcp(let host, let port):
            if case .plaintext = configuration.security {
                bootstrap = bootstrap.resolver(LoopbackResolver(eventLoop))
            }
            return bootstrap.connect(host: host, port: port)
        case .unixSocket(let path):
            return bootstrap.connect(unixDomainSocketPath: path)
        }
    }

    /// Reads the key from its file, or calls the function that gives it; on the event loop.
    func readKey() -> EventLoopFuture<[UInt8]?> {
        switch configuration.apiKey {
        case nil: return eventLoop.makeSucceededFuture(nil)
        case .value(let key): return eventLoop.makeSucceededFuture(Array(key.utf8))
        case .file(let path):
            return NIOSingletons.posixBlockingThreadPool.runIfActive(eventLoop: eventLoop) {
                () throws -> [UInt8]? in try Self.readKey(inFile: path)
            }
        case .function(let function):
            return eventLoop.makeFutureWithTask {
                do {
                    return try Self.checkedKey(Array(try await function().utf8), from: "the function of the API key")
                } catch let error as CarillonError {
                    throw error
                } catch {
                    // The error that the function throws can have secrets.
                    throw Self.unreadableKey("the function of the API key has failed")
                }
            }
        }
    }

    private static func readKey(inFile path: String) throws(CarillonError) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            throw unreadableKey("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        // The buffer holds more than any key with white space around it.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&buffer, 1, buffer.count, file)
        let key = buffer.prefix(count).trimmed { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return try checkedKey(Array(key), from: path)
    }

    private static func checkedKey(_ key: [UInt8], from source: String) throws(CarillonError) -> [UInt8] {
        guard (1...256).contains(key.count) else { throw unreadableKey("\(source) has no key of 1 to 256 bytes") }
        return key
    }

    private static func unreadableKey(_ text: String) -> CarillonError {
        CarillonError(.cannotConnect, retryAfter: .zero, message: text)
    }
}
