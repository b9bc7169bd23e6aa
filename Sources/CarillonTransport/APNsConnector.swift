import CarillonAPNs
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Makes TCP connections to one APNs: DNS is asked anew for each, they are spread over the addresses, and a proxy may stand in
/// between.
final class APNsConnector: Sendable {
    /// Addresses tried for one connection.
    private static let addressLimit = 4
    /// Wait for an address when there is another one to try, in milliseconds.
    private static let patience: UInt64 = 3_000
    /// Asking DNS blocks; threads of its own keep that away from everything else.
    private static let resolvers: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 2)
        pool.start()
        return pool
    }()

    private let host: String
    private let port: Int
    private let target: (host: String, port: Int)
    private let proxy: Proxy?
    private let timeout: UInt64
    private let book = Mutex(ResolvedAddresses())

    /// - Parameter timeout: for one address, in milliseconds.
    init(_ upstream: Upstream, timeout: UInt64) {
        proxy = upstream.proxy
        target = (upstream.host, upstream.port)
        host = upstream.proxy?.host ?? upstream.host
        port = upstream.proxy?.port ?? upstream.port
        self.timeout = timeout
    }

    /// A channel that is connected to APNs, without handlers.
    func connect(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let (host, port) = (host, port)
        return Self.resolvers.runIfActive(eventLoop: loop) { try Self.resolve(host, port) }
            .flatMap { [self] addresses in
                // Keyed by the address alone: the port is the same for all.
                let known = Dictionary(addresses.map { ($0.ipAddress ?? "", $0) }) { first, _ in first }
                let order = book.withLock { $0.order(known.keys.sorted(), random: .random(in: 0...1)) }
                return connect(to: order.prefix(Self.addressLimit).compactMap { known[$0] }[...], on: loop)
            }
            .flatMap { [self] channel in
                guard let proxy else { return loop.makeSucceededFuture(channel) }
                return ProxyHandler.connect(
                    channel, through: proxy, to: target, within: .milliseconds(Int64(clamping: timeout)))
            }
    }

    private func connect(
        to addresses: ArraySlice<SocketAddress>, on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        guard let address = addresses.first else { return loop.makeFailedFuture(ConnectError.noAddress) }
        let rest = addresses.dropFirst()
        let name = address.ipAddress ?? ""
        let wait = rest.isEmpty ? timeout : min(timeout, Self.patience)
        book.withLock { $0.began(to: name) }
        return ClientBootstrap(group: loop)
            .connectTimeout(.milliseconds(Int64(clamping: wait)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 256 * 1_024, high: 1_024 * 1_024))
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .connect(to: address)
            .map { [self] channel in
                book.withLock { $0.connected(to: name) }
                channel.closeFuture.whenComplete { [self] _ in book.withLock { $0.disconnected(from: name) } }
                return channel
            }
            .flatMapError { [self] error in
                book.withLock { $0.failed(at: name) }
                return rest.isEmpty ? loop.makeFailedFuture(error) : connect(to: rest, on: loop)
            }
    }

    /// Every address that DNS names, IPv4 and IPv6. Blocks.
    static func resolve(_ host: String, _ port: Int) throws -> [SocketAddress] {
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
            if let address = address(of: info) { addresses.append(address) }
            next = info.ai_next
        }
        return addresses
    }

    private static func address(of info: addrinfo) -> SocketAddress? {
        switch info.ai_family {
        case AF_INET:
            info.ai_addr?.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: "") }
        case AF_INET6:
            info.ai_addr?.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: "") }
        default: nil
        }
    }
}

/// Why there is nothing to connect to.
enum ConnectError: Error, CustomStringConvertible {
    /// DNS does not name the host.
    case unresolved(String)
    /// DNS names no address for it.
    case noAddress

    var description: String {
        switch self {
        case .unresolved(let why): "DNS: \(why)"
        case .noAddress: "DNS names no address"
        }
    }
}
