/// The parts of an `https` URL that a request needs (RFC 3986; RFC 9110, section 4.2.2).
///
/// Only what can be sent as it stands is accepted: a DNS name, no address literal, no user, no fragment. A reader that
/// repairs a URL may understand another host than the next reader.
package struct HTTPSAddress: Hashable, Sendable {
    /// The DNS name, in lower case.
    package let host: String
    /// The port: 443 if the URL has none.
    package let port: UInt16
    /// The path and the query, byte for byte as given: the `:path` of a request. `/` if the URL has neither.
    package let target: String

    /// The longest URL that is read, in bytes.
    package static let maximumBytes = 2_048

    /// Reads a URL; returns nil if no request can be sent to it.
    package init?(_ url: some StringProtocol) {
        let bytes = Array(url.utf8)
        let scheme = Array("https://".utf8)
        guard (scheme.count + 1...Self.maximumBytes).contains(bytes.count), Self.isPrintable(bytes),
            zip(bytes, scheme).allSatisfy({ $0.lowercasedASCII == $1 })
        else { return nil }
        let remainder = bytes[scheme.count...]
        let end = remainder.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
        let authority = remainder[..<end]
        let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let host = Self.host(parts[0]) else { return nil }
        if parts.count == 2 {
            guard (1...5).contains(parts[1].count), parts[1].allSatisfy(\.isASCIIDigit),
                let port = UInt16(String(decoding: parts[1], as: UTF8.self)), port > 0
            else { return nil }
            self.port = port
        } else {
            port = 443
        }
        self.host = host
        let target = String(decoding: bytes[end...], as: UTF8.self)
        self.target = target.hasPrefix("/") ? target : "/" + target
    }

    /// The scheme, host and port as an origin (RFC 6454, section 6.1): the port only if it is not 443.
    package var origin: String { "https://" + authority }

    /// The host and the port as `:authority`: the port only if it is not 443.
    package var authority: String { port == 443 ? host : "\(host):\(port)" }

    /// Returns true if no byte needs to be escaped (RFC 3986, section 2), and each `%` begins an escape.
    private static func isPrintable(_ bytes: [UInt8]) -> Bool {
        let forbidden = Array("\"<>\\^`{|}#@ ".utf8)
        return bytes.indices.allSatisfy { index in
            let byte = bytes[index]
            guard (0x21...0x7E).contains(byte), !forbidden.contains(byte) else {
                // An at sign separates a user from the host; in a path it is as good as any character.
                return byte == UInt8(ascii: "@") && bytes[..<index].filter { $0 == UInt8(ascii: "/") }.count > 2
            }
            guard byte == UInt8(ascii: "%") else { return true }
            return index + 2 < bytes.count && Hex.value(of: bytes[index + 1]) != nil
                && Hex.value(of: bytes[index + 2]) != nil
        }
    }

    /// Returns a DNS name in lower case (RFC 1123, section 2.1); nil for anything else, also for an address. A name
    /// whose last label is a number is an IPv4 address to many readers (WHATWG URL, section 3.5).
    private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...253).contains(bytes.count), let last = labels.last, let first = last.first, !first.isASCIIDigit,
            labels.allSatisfy({ label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                    && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || $0 == UInt8(ascii: "-") }
            })
        else { return nil }
        return String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
    }
}
