import CarillonCore
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

    /// Makes the listener of the service API.
    ///
    /// - Parameter tls: nil for plaintext.
    package func makeServiceAPI(tls: TLSContext?) -> HTTPListener {
        HTTPListener(ServiceAPI(requests), tls: tls, on: loop)
    }

    /// Makes the listener of the console, which takes samples from now on.
    ///
    /// - Parameters:
    ///   - names: the names by which browsers reach it, apart from the names of loopback.
    ///   - tls: nil for plaintext.
    package func makeConsole(names: [String], tls: TLSContext?) -> HTTPListener {
        let service = ConsoleService(
            requests, server: server, names: names + ["localhost", "127.0.0.1", "[::1]"], isSecure: tls != nil,
            logger: logger)
        let loop = loop
        loop.execute { service.start(on: loop) }
        return HTTPListener(service, tls: tls, on: loop)
    }

    /// Closes the connections within the process, and ends the thread. The listeners must be closed before.
    package func shutDown() async {
        let requests = requests
        // Why try?: a loop that has ended has no connection, and is not ended again.
        try? await loop.submit { requests.connectionPool.closeAll() }.get()
        try? await group.shutdownGracefully()
    }
}
