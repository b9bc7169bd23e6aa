/// An IP address, public or not.
package struct NetworkAddress: Hashable, Sendable {
    /// The 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// Reads an address; nil unless there are 4 or 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// True if the address is globally reachable (IANA special-purpose address registries; RFC 6890). It is not
    /// private, not of this machine or link, not reserved, and no IPv6 address that leads to an IPv4 address.
    package var isPublic: Bool {
        bytes.count == 4 ? !Self.isAddress(bytes, in: Self.reservedIPv4) : Self.isPublicIPv6(bytes)
    }

    /// True if the address is one of a machine, public or not: not unspecified, multicast or broadcast, and not an IPv6
    /// address that leads to an IPv4 address.
    package var isUnicast: Bool {
        if bytes.count == 4 { return bytes[0] != 0 && bytes[0] < 224 }
        guard bytes[0] != 0xFF else { return false }
        let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
        let isUniqueLocal = bytes[0] & 0xFE == 0xFC
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        return isLoopback || isUniqueLocal || isLinkLocal || Self.isPublicIPv6(bytes)
    }

    /// A range of addresses: its first bytes, and the number of their bits that count.
    private typealias Block = (prefix: [UInt8], bits: Int)

    private static let reservedIPv4: [Block] = [
        // This network; private; shared by carriers; loopback; link-local.
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16),
        // Private; IETF protocols; documentation; 6to4 relays; private; benchmarks; documentation.
        ([172, 16], 12), ([192, 0, 0], 24), ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15),
        ([198, 51, 100], 24), ([203, 0, 113], 24),
        // Multicast; reserved and broadcast.
        ([224], 4), ([240], 4),
    ]

    private static let reservedIPv6: [Block] = [
        // IETF protocols, with Teredo, ORCHID and benchmarks; documentation; 6to4; documentation.
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]

    /// Returns true if an IPv6 address is public: only 2000::/3 is assigned to the public internet. All else is
    /// refused, known or not: unspecified, loopback, IPv4-mapped and -compatible, NAT64 (64:ff9b::/96 and
    /// 64:ff9b:1::/48), discard, SRv6, unique local, link-local, site-local and multicast.
    private static func isPublicIPv6(_ bytes: [UInt8]) -> Bool {
        bytes[0] & 0xE0 == 0x20 && !isAddress(bytes, in: reservedIPv6)
    }

    private static func isAddress(_ bytes: [UInt8], in blocks: [Block]) -> Bool {
        blocks.contains { block in
            (0..<block.bits).allSatisfy { bit in
                let mask: UInt8 = 0x80 >> UInt8(bit % 8)
                let prefix = bit / 8 < block.prefix.count ? block.prefix[bit / 8] : 0
                return prefix & mask == bytes[bit / 8] & mask
            }
        }
    }
}
