import CarillonWebPush
import Glibc
import Testing

extension NetworkAddress {
    /// Reads an address in its usual text: `127.0.0.1`, `::1`.
    static func reading(_ text: String) throws -> NetworkAddress {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            return try #require(NetworkAddress(withUnsafeBytes(of: four) { Array($0) }))
        }
        var six = in6_addr()
        try #require(inet_pton(AF_INET6, text, &six) == 1)
        return try #require(NetworkAddress(withUnsafeBytes(of: six) { Array($0) }))
    }
}
