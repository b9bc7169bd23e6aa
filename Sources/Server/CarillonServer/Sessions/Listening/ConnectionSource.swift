import Glibc
import NIOCore

/// The origin of connections that are counted together.
enum ConnectionSource: Hashable, Sendable {
    /// The Unix socket.
    case unixSocket
    /// An IPv4 address, also one that is written as an IPv6 address.
    case ipv4(UInt32)
    /// The first 64 bits of IPv6 addresses: one host usually has all addresses of such a network.
    case ipv6(UInt64)

    /// Makes the source of a TCP peer; nil for a peer that is gone already.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        if let bytes = Self.bytes(of: text, AF_INET, count: 4) {
            self = .ipv4(UInt32(Self.number(bytes[...])))
        } else if let bytes = Self.bytes(of: text, AF_INET6, count: 16) {
            // A socket that listens on `::` shows IPv4 peers as ::ffff:a.b.c.d.
            let isIPv4 = Self.number(bytes[0..<8]) == 0 && Self.number(bytes[8..<12]) == 0xFFFF
            self = isIPv4 ? .ipv4(UInt32(Self.number(bytes[12...]))) : .ipv6(Self.number(bytes[0..<8]))
        } else {
            return nil
        }
    }

    /// Returns the bytes of an address of that family; nil if the text is no such address.
    private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
