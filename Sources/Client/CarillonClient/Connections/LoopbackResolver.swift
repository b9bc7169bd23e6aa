import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A resolver that drops the addresses of other machines, so that plaintext does not leave this one.
final class LoopbackResolver: Resolver, Sendable {
    private let ipv4: EventLoopPromise<[SocketAddress]>
    private let ipv6: EventLoopPromise<[SocketAddress]>

    init(_ eventLoop: any EventLoop) {
        ipv4 = eventLoop.makePromise()
        ipv6 = eventLoop.makePromise()
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { ipv4.futureResult }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        NIOSingletons.posixBlockingThreadPool.submit { [ipv4, ipv6] state in
            guard case .active = state else {
                ipv6.fail(ChannelError.ioOnClosedChannel)
                return ipv4.fail(ChannelError.ioOnClosedChannel)
            }
            let found = Self.addresses(of: host, port: port)
            let local = found.filter(\.isLoopback)
            guard found.isEmpty || !local.isEmpty else {
                let error = CarillonError(
                    .cannotConnect, retryAfter: .zero, message: "\(host) is not on this machine: it needs TLS")
                ipv6.fail(error)
                return ipv4.fail(error)
            }
            ipv6.succeed(local.filter { $0.protocol == .inet6 })
            ipv4.succeed(local.filter { $0.protocol == .inet })
        }
        return ipv6.futureResult
    }

    func cancelQueries() {
        ipv6.fail(ChannelError.connectTimeout(.zero))
        ipv4.fail(ChannelError.connectTimeout(.zero))
    }

    private static func addresses(of host: String, port: Int) -> [SocketAddress] {
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), nil, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next {
            switch NIOBSDSocket.AddressFamily(rawValue: entry.pointee.ai_family) {
            case .inet:
                entry.pointee.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    addresses.append(SocketAddress($0.pointee, host: host))
                }
            case .inet6:
                entry.pointee.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    addresses.append(SocketAddress($0.pointee, host: host))
                }
            default: break
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }
}
