/// The value of an attribute, such as `ios` (Conditions 3). Values are compared byte by byte.
public struct AttributeValue: Hashable, Sendable, CustomStringConvertible {
    /// The value: 1 to 64 bytes, ASCII letters, digits and `-_.~%/:@+`.
    public let text: String

    /// The longest value, in bytes.
    public static let maximumBytes = 64

    /// Makes a value; returns nil if `text` is not allowed.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(NameAlphabet.isInName) else { return nil }
        self.text = text
    }

    /// The value as in requests and conditions: `ios`.
    public var description: String { text }
}
