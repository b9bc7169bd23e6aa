/// The name of a topic, such as `level5` (Conditions 3).
public struct TopicName: Hashable, Sendable, CustomStringConvertible {
    /// The name without prefix: 1 to 200 bytes, ASCII letters, digits and `-_.~%/:@+`, not beginning with `/`.
    public let name: String

    /// The longest name, in bytes.
    public static let byteLimit = 200

    /// What FCM allows before a topic's name.
    static let prefix = "/topics/"

    /// Makes a name, or nil if `name` is none. FCM's prefix `/topics/` is taken off.
    public init?(_ name: String) {
        let bare = name.hasPrefix(Self.prefix) ? name.dropFirst(Self.prefix.count) : name[...]
        guard NameAlphabet.isSetName(bare, byteLimit: Self.byteLimit) else { return nil }
        self.name = String(bare)
    }

    /// The name.
    public var description: String { name }
}

/// The name of a device group, such as `user/42` (Conditions 3).
public struct GroupName: Hashable, Sendable, CustomStringConvertible {
    /// The name: 1 to 200 bytes, ASCII letters, digits and `-_.~%/:@+`, not beginning with `/`.
    public let name: String

    /// The longest name, in bytes.
    public static let byteLimit = 200

    /// Makes a name, or nil if `name` is none.
    public init?(_ name: String) {
        guard NameAlphabet.isSetName(name[...], byteLimit: Self.byteLimit) else { return nil }
        self.name = name
    }

    /// The name.
    public var description: String { name }
}

/// What a term of a condition names: a set of devices whose postings are stored.
package enum SetName: Hashable, Sendable, CustomStringConvertible {
    /// Every device of the app that can be sent to. All other sets are parts of it.
    case all
    /// The devices that hold a topic.
    case topic(TopicName)
    /// The devices of a group.
    case group(GroupName)
    /// The devices with that value; of `locale`, those whose language tag has that lower-case range (RFC 4647 §3.3.1).
    case attribute(AttributeKey, AttributeValue)

    /// The condition that is this set and nothing else.
    package var description: String {
        switch self {
        case .all: "all"
        case .topic(let topic): "'\(topic)' in topics"
        case .group(let group): "'\(group)' in groups"
        case .attribute(let key, let value): "\(key) == '\(value)'"
        }
    }
}
