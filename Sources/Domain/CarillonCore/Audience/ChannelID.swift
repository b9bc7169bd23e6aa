/// The id of a broadcast channel, as APNs has made it: opaque text in base64 (Protocol 14).
///
/// Apple documents no length. The bound keeps a row of a page, and a header, short.
public struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    /// The id: 1 to 512 bytes, letters, digits, `+`, `/`, `=`, `-` and `_`.
    public let text: String

    /// The longest id, in bytes.
    public static let maximumBytes = 512

    /// Makes an id; returns nil if `text` cannot be one.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "+/=-_".utf8.contains(byte)
    }

    /// The text of the id.
    public var description: String { text }
}
