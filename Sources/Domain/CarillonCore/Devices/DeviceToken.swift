/// A device token: the bytes by which a provider knows one app on one device. Their number varies: do not assume that
/// it is 32. If tokens of a kind are text, the bytes are that text in ASCII.
public struct DeviceToken: Hashable, Sendable {
    /// The raw bytes: 1 to 255.
    public let bytes: [UInt8]

    /// The longest token that is accepted, in bytes (Protocol 4.1).
    public static let maximumBytes = 255

    /// Makes a token from raw bytes; returns nil if there are none or more than `maximumBytes`.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.maximumBytes).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Makes a token from hexadecimal digits, as apps print it; returns nil if `hex` is not a token.
    public init?(hex: String) {
        guard hex.utf8.count <= 2 * Self.maximumBytes, let bytes = Hex.bytes(hex) else { return nil }
        self.init(bytes)
    }

    /// Makes a token from the written form of its kind: as it stands or in hexadecimal. Returns nil if
    /// `text` is not a token of that kind.
    public init?(_ text: String, of kind: TokenKind) {
        guard text.utf8.count <= 2 * Self.maximumBytes,
            let bytes = kind.hasTextTokens ? Array(text.utf8) : Hex.bytes(text), let token = DeviceToken(bytes),
            kind.accepts(token)
        else { return nil }
        self = token
    }

    /// Returns the whole token in the written form of its kind. It must not appear in logs and error texts.
    public func text(of kind: TokenKind) -> String {
        kind.hasTextTokens ? String(decoding: bytes, as: UTF8.self) : hex
    }

    /// The whole token in lower-case hexadecimal. It must not appear in logs and error texts.
    public var hex: String { Hex.string(bytes) }

    /// The bytes of the token that may be printed: the first four, and never more than half. They distinguish tokens in
    /// logs without revealing them.
    var printableBytes: ArraySlice<UInt8> { bytes.prefix(min(4, bytes.count / 2)) }

    /// The printable bytes in hexadecimal, and an ellipsis for the rest.
    public var shortened: String { Hex.string(printableBytes) + "…" }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The beginning of the token, as `shortened`.
    public var description: String { shortened }
    /// The beginning of the token, as `shortened`.
    public var debugDescription: String { shortened }
}
