/// The name of a topic, such as `level5` (Conditions 3).
public struct TopicName: Hashable, Sendable, CustomStringConvertible {
    /// The name without prefix: 1 to 200 bytes, ASCII letters, digits and `-_.~%/:@+`, not beginning with `/`.
    public let name: String

    /// The longest name, in bytes.
    public static let maximumBytes = 200

    /// The prefix that FCM allows before a topic's name.
    static let prefix = "/topics/"

    /// Makes a name; returns nil if `name` is not allowed. FCM's prefix `/topics/` is removed.
    public init?(_ name: String) {
        let bare = name.removing(prefix: Self.prefix) ?? name[...]
        guard NameAlphabet.isSetName(bare, maximumBytes: Self.maximumBytes) else { return nil }
        self.name = String(bare)
    }

    /// The name as in requests and conditions: `level5`.
    public var description: String { name }
}
