/// A device token: the bytes by which APNs knows one app on one device. Their number varies; it is never assumed to be
/// 32.
public struct DeviceToken: Hashable, Sendable {
    /// The raw bytes: 1 to 200.
    public let bytes: [UInt8]

    /// The longest token that is accepted, in bytes (Protocol 4.1).
    public static let maximumBytes = 200

    /// Makes a token from raw bytes, or nil if there are none or more than `maximumBytes`.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.maximumBytes).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Makes a token from hexadecimal digits, as apps print it, or nil if `hex` is no token.
    public init?(hex: String) {
        guard hex.utf8.count <= 2 * Self.maximumBytes, let bytes = Hex.bytes(hex) else { return nil }
        self.init(bytes)
    }

    /// The whole token in lower-case hexadecimal. It must not appear in logs and error texts.
    public var hex: String { Hex.string(bytes) }

    /// The first four bytes in hexadecimal: they distinguish tokens in logs without revealing them.
    public var shortened: String {
        bytes.count > 4 ? Hex.string(bytes.prefix(4)) + "…" : Hex.string(bytes)
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The shortened token.
    public var description: String { shortened }
    /// The shortened token.
    public var debugDescription: String { shortened }
}
