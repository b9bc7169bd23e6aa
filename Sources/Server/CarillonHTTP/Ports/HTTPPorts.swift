package import CarillonCore
package import CarillonTLS
package import Logging
import NIOCore
import NIOPosix

/// The HTTP ports of the server: the service API and the console. Both run on one thread.
package final class HTTPPorts: Sendable {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let requests: RequestService
    private let loop: any EventLoop
    private let server: any HTTPBackend
    private let logger: Logger

    /// Starts the thread; nothing listens yet.
    package init(_ server: any HTTPBackend, logger: Logger) {
        self.server = server
        self.logger = logger
        loop = group.next()
        requests = RequestService(server, on: loop)
    }

    /// Makes the port of the service API.
    ///
    /// - Parameter tls: nil for plaintext.
    package func serviceAPI(tls: TLSContext?) -> HTTPPort { HTTPPort(ServiceAPI(requests), tls: tls, on: loop) }

    /// Makes the port of the console, which takes samples from now on.
    ///
    /// - Parameters:
    ///   - names: the names by which browsers reach it, beside the names of loopback.
    ///   - tls: nil for plaintext.
    package func console(names: [String], tls: TLSContext?) -> HTTPPort {
        let service = ConsoleService(
            requests, server: server, names: names + ["localhost", "127.0.0.1", "[::1]"], isSecure: tls != nil,
            logger: logger)
        let loop = loop
        loop.execute { service.start(on: loop) }
        return HTTPPort(service, tls: tls, on: loop)
    }

    /// Closes the connections, and ends the thread. The ports are closed before.
    package func shutDown() async {
        let requests = requests
        // Why try?: a loop that has ended has no connection, and is not ended again.
        try? await loop.submit { requests.connections.closeAll() }.get()
        try? await group.shutdownGracefully()
    }
}

/// The server as the HTTP ports use it. The server implements this, so that this module knows none of its types.
package protocol HTTPBackend: Sendable {
    /// Opens a session of the server, as a client's connection does, and returns the other end, a connected stream
    /// socket that the caller owns. The session counts and limits it as any connection.
    ///
    /// - Parameter address: the peer that it is opened for, as the log and the audit lines show it.
    func openSession(for address: String) throws -> CInt
    /// Gives a sample to `done`, on any thread; nil while the server ends.
    func sample(_ done: @escaping @Sendable (ConsoleSample?) -> Void)
    /// Gives the content of a message to `done`, on any thread; nil if the app has no such message, or while the server
    /// ends.
    func content(of message: MessageID, app: AppID, _ done: @escaping @Sendable (MessageContent?) -> Void)
    /// The position of this server in the log of its cluster; nil if the server belongs to none, or has not joined it.
    var position: ClusterPosition? { get }
    /// Calls `done` with true, on any thread, when the server has applied its cluster's log up to that number. Calls it
    /// with false if that takes longer than the server waits.
    func awaitPosition(_ number: UInt64, _ done: @escaping @Sendable (Bool) -> Void)
    /// The configuration in force as a JSON object, without secrets.
    var configuration: [UInt8] { get }
}
