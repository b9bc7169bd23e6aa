/// The set that a term of a condition names: a set of devices whose postings are stored.
package enum SetName: Hashable, Sendable, CustomStringConvertible {
    /// Every device of the app that can be sent to. All other sets are subsets of it.
    case all
    /// The devices that are subscribed to a topic, themselves or through a group.
    case topic(TopicName)
    /// The devices of a group.
    case group(GroupName)
    /// The devices with that value of an attribute; for `locale`, the devices whose language tag has that lower-case
    /// range (RFC 4647 §3.3.1).
    case attribute(AttributeKey, AttributeValue)

    /// The condition that consists of this set alone.
    package var description: String {
        switch self {
        case .all: "all"
        case .topic(let topic): "'\(topic)' in topics"
        case .group(let group): "'\(group)' in groups"
        case .attribute(let key, let value): "\(key) == '\(value)'"
        }
    }
}
