import CarillonWebPush
import Glibc
import Testing

/// The addresses that are public, and those that have another purpose.
struct NetworkAddressTests {
    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "11.0.0.0",
        "9.255.255.255", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "2600::1", "2a00:1450::1",
        "2001:200::1", "2001:4860:4860::8888", "2003::1", "3ffe:ffff::1",
    ])
    func `an address of the Internet is public`(_ text: String) throws {
        #expect(try NetworkAddress.reading(text).isPublic)
        #expect(try NetworkAddress.reading(text).isUnicast)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
        "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255",
        // Unspecified, loopback, IPv4-compatible, IPv4-mapped, NAT64, discard, Teredo, ORCHID, documentation, 6to4.
        "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::808:808",
        "64:ff9b:1::1", "100::1", "2001::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "5f00::1",
        // Unique local, link-local, site-local, multicast, unassigned.
        "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "4000::1", "8000::1",
    ])
    func `an address with another purpose is not public`(_ text: String) throws {
        #expect(try !NetworkAddress.reading(text).isPublic)
    }

    @Test func `an address has four or sixteen bytes`() {
        let taken = (0...20).filter { NetworkAddress([UInt8](repeating: 1, count: $0)) != nil }
        #expect(taken == [4, 16])
    }
}

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
