/// The name of a topic: 1 to 200 bytes, ASCII letters, digits and `-_.~%/:@+`, not beginning with `/`.
public struct TopicName: Hashable, Sendable, CustomStringConvertible {
    /// The name, without FCM's prefix.
    public let name: String

    /// Makes a name, or nothing if `text` is none; FCM's prefix `/topics/` is dropped.
    public init?(_ text: String) {
        let name = text.hasPrefix("/topics/") ? String(text.dropFirst(8)) : text
        guard SetAlphabet.isName(name.utf8) else { return nil }
        self.name = name
    }

    /// The name.
    public var description: String { name }
}

/// The name of a device group, such as `user/42`: the same form as a topic's.
public struct GroupName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let name: String

    /// Makes a name, or nothing if `name` is none.
    public init?(_ name: String) {
        guard SetAlphabet.isName(name.utf8) else { return nil }
        self.name = name
    }

    /// The name.
    public var description: String { name }
}

/// The bytes that names of sets are made of.
enum SetAlphabet {
    static let nameLimit = 200

    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        (1...nameLimit).contains(bytes.count) && bytes.first != UInt8(ascii: "/") && bytes.allSatisfy(isAllowed)
    }

    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~%/:@+".utf8.contains(byte)
        }
    }
}

/// The name of an attribute: 1 to 32 bytes, ASCII letters, digits and `-_.`.
public struct AttributeKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    public let name: String

    /// Makes a key, or nothing if `name` is none.
    public init?(_ name: String) {
        let isAllowed = { (byte: UInt8) in SetAlphabet.isAllowed(byte) && !"~%/:@+".utf8.contains(byte) }
        guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed) else { return nil }
        self.name = name
    }

    /// Whether the server derives it from the device: callers cannot set it.
    public var isReserved: Bool { ["locale", "environment", "kind"].contains(name) }

    /// Orders by bytes.
    public static func < (left: AttributeKey, right: AttributeKey) -> Bool { left.name < right.name }

    /// The name.
    public var description: String { name }
}

/// The value of an attribute: 1 to 64 bytes of the alphabet of topics.
public struct AttributeValue: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let text: String

    /// Makes a value, or nothing if `text` is none.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(SetAlphabet.isAllowed) else { return nil }
        self.text = text
    }

    /// The text.
    public var description: String { text }
}

/// The own attributes of a device.
public struct Attributes: Hashable, Sendable {
    /// By key.
    public var values: [AttributeKey: AttributeValue]

    /// Makes attributes.
    public init(_ values: [AttributeKey: AttributeValue] = [:]) {
        self.values = values
    }
}

/// What a term of a condition names.
package enum SetName: Hashable, Sendable {
    /// Every device that can be sent to.
    case all
    /// The devices of a topic.
    case topic(TopicName)
    /// The devices of a group.
    case group(GroupName)
    /// The devices with that value of an attribute.
    case attribute(AttributeKey, AttributeValue)
}
