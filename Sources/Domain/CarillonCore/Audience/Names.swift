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

/// The name of a device group, such as `user/42` (Conditions 3).
public struct GroupName: Hashable, Sendable, CustomStringConvertible {
    /// The name: 1 to 200 bytes, ASCII letters, digits and `-_.~%/:@+`, not beginning with `/`.
    public let name: String

    /// The longest name, in bytes.
    public static let maximumBytes = 200

    /// Makes a name; returns nil if `name` is not allowed.
    public init?(_ name: String) {
        guard NameAlphabet.isSetName(name[...], maximumBytes: Self.maximumBytes) else { return nil }
        self.name = name
    }

    /// The name as in requests and conditions: `user/42`.
    public var description: String { name }
}

/// The bytes that a name may contain (Conditions 3). They are ASCII: a byte is a character, and one spelling is one
/// name.
enum NameAlphabet {
    /// Returns true if the name of a topic or group, or the value of an attribute, may contain `byte`.
    static func isInName(_ byte: UInt8) -> Bool {
        isInKey(byte) || "~%/:@+".utf8.contains(byte)
    }

    /// Returns true if the key of an attribute may contain `byte`.
    static func isInKey(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ".")
    }

    /// Returns true if `name` can name a topic or a group.
    static func isSetName(_ name: Substring, maximumBytes: Int) -> Bool {
        let bytes = name.utf8
        return (1...maximumBytes).contains(bytes.count) && bytes.first != UInt8(ascii: "/")
            && bytes.allSatisfy(isInName)
    }
}
