/// What a message is addressed to: the part of a request that differs from device to device.
///
/// FCM's topics and conditions are not used: Carillon has its own, and an outcome for each device.
package struct FCMTarget: Hashable, Sendable {
    /// The member of `message` that names the device.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A registration token.
        case token
        /// A Firebase installation id, which takes the place of registration tokens since 2026.
        case fid
    }

    /// What `bytes` are.
    package let kind: Kind
    /// The token or id in ASCII: characters that need no escape in JSON.
    package let bytes: [UInt8]

    /// The longest token, in bytes. Today's have 140 to 180; Google promises no bound.
    package static let maximumTokenBytes = 1_024
    /// The size of an installation id in bytes.
    package static let installationBytes = 22

    /// Makes a target; nil if `bytes` cannot be a token or an id: a request with such a target would be refused.
    package init?(_ kind: Kind, _ bytes: [UInt8]) {
        switch kind {
        case .token:
            guard (1...Self.maximumTokenBytes).contains(bytes.count),
                bytes.allSatisfy({ Self.isDigit($0) || ":.%~".utf8.contains($0) })
            else { return nil }
        case .fid:
            // 72 bits and a header of four, 0111: the first digit is c, d, e or f.
            guard bytes.count == Self.installationBytes, bytes.allSatisfy(Self.isDigit),
                (UInt8(ascii: "c")...UInt8(ascii: "f")).contains(bytes[0])
            else { return nil }
        }
        self.kind = kind
        self.bytes = bytes
    }

    /// Returns true for a digit of base64url.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
