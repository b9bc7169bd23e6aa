import CarillonProvider
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Makes the TCP connections to one service. Asks DNS anew for each, and spreads the connections over the addresses. A
/// proxy may be in between.
final class Connector: Sendable {
    /// The most addresses that are tried for one connection.
    private static let maximumAddresses = 4
    /// The timeout of an address while there is another one to try, in milliseconds.
    private static let addressTimeoutMilliseconds: UInt64 = 3_000
    /// The threads of DNS look-ups, which block.
    private static let resolvers: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 2)
        pool.start()
        return pool
    }()

    private let host: String
    private let port: Int
    private let target: (host: String, port: Int)
    private let networkPath: NetworkPath
    private let permitsAddress: (@Sendable (_ address: [UInt8]) -> Bool)?
    private let timeoutMilliseconds: UInt64
    private let addresses = Mutex(ResolvedAddresses())

    /// Makes a connector to a server.
    ///
    /// - Parameters:
    ///   - host: the host name or address to connect to, by way of the proxy if the path has one.
    ///   - timeoutMilliseconds: for one address, in milliseconds.
    init(host: String, port: Int, networkPath: NetworkPath, timeoutMilliseconds: UInt64) {
        // A proxy has its own addresses, and decides which ones it connects to.
        permitsAddress = networkPath.proxy == nil ? networkPath.permitsAddress : nil
        self.networkPath = networkPath
        target = (host, port)
        self.host = networkPath.proxy?.host ?? host
        self.port = networkPath.proxy?.port ?? port
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Connects to the host, and returns the channel, without handlers.
    func connect(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let host = host
        let port = port
        return Self.resolvers.runIfActive(eventLoop: loop) { try Self.resolve(host, port: port) }
            .flatMapThrowing { [permitsAddress] resolved in
                guard let permitsAddress else { return resolved }
                // The connection goes to one of these addresses, and not to the name again.
                let permitted = resolved.filter { $0.networkBytes.map(permitsAddress) ?? false }
                guard !permitted.isEmpty || resolved.isEmpty else { throw ConnectError.notPermitted }
                return permitted
            }
            .flatMap { [self] resolved in
                // Keyed by the address alone: the port is the same for all.
                let known = Dictionary(resolved.map { ($0.ipAddress ?? "", $0) }) { first, _ in first }
                let order = addresses.withLock { $0.order(known.keys.sorted(), random: .random(in: 0...1)) }
                return connect(to: order.prefix(Self.maximumAddresses).compactMap { known[$0] }[...], on: loop)
            }
            .flatMap { [self] channel in
                guard networkPath.proxy != nil else { return loop.makeSucceededFuture(channel) }
                return ProxyHandler.connect(
                    channel, to: target, credentials: networkPath.proxyCredentials,
                    within: .milliseconds(Int64(clamping: timeoutMilliseconds)))
            }
    }

    private func connect(
        to candidates: ArraySlice<SocketAddress>, on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        guard let address = candidates.first else { return loop.makeFailedFuture(ConnectError.noAddress) }
        let others = candidates.dropFirst()
        let name = address.ipAddress ?? ""
        let wait = others.isEmpty ? timeoutMilliseconds : min(timeoutMilliseconds, Self.addressTimeoutMilliseconds)
        addresses.withLock { $0.connectBegan(to: name) }
        return ClientBootstrap(group: loop)
            .connectTimeout(.milliseconds(Int64(clamping: wait)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 256 * 1_024, high: 1_024 * 1_024))
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .connect(to: address)
            .map { [self] channel in
                addresses.withLock { $0.connectSucceeded(to: name) }
                channel.closeFuture.whenComplete { [self] _ in addresses.withLock { $0.disconnected(from: name) } }
                return channel
            }
            .flatMapError { [self] error in
                addresses.withLock { $0.connectFailed(at: name) }
                return others.isEmpty ? loop.makeFailedFuture(error) : connect(to: others, on: loop)
            }
    }

    /// Returns every address that DNS names, IPv4 and IPv6. Blocks.
    static func resolve(_ host: String, port: Int) throws(ConnectError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, "\(port)", &hints, &first)
        guard result == 0 else { throw ConnectError.unresolved(String(cString: gai_strerror(result))) }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let info = next?.pointee {
            if let address = makeAddress(from: info) { addresses.append(address) }
            next = info.ai_next
        }
        return addresses
    }

    private static func makeAddress(from info: addrinfo) -> SocketAddress? {
        switch info.ai_family {
        case AF_INET:
            info.ai_addr?.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: "") }
        case AF_INET6:
            info.ai_addr?.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: "") }
        default: nil
        }
    }
}

extension SocketAddress {
    /// The bytes of the IP address in network order; nil for a Unix socket.
    fileprivate var networkBytes: [UInt8]? {
        guard let text = ipAddress else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}

/// The reason why there is no address to connect to.
enum ConnectError: Error, CustomStringConvertible {
    /// DNS does not know the host.
    case unresolved(String)
    /// DNS names no address for the host.
    case noAddress
    /// DNS names only addresses that are not public.
    case notPermitted

    var description: String {
        switch self {
        case .unresolved(let reason): "DNS: \(reason)"
        case .noAddress: "DNS names no address"
        case .notPermitted: "DNS names only addresses that are not public"
        }
    }
}
