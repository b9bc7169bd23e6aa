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

/// A term of a condition: it says that a device is in a set, or that it is not.
package struct ConditionTerm: Hashable, Sendable, CustomStringConvertible {
    package let set: SetName
    /// True if the term holds for the devices outside of the set.
    package let isNegated: Bool

    /// The canonical form, which is a condition of its own.
    package var description: String {
        guard isNegated else { return set.description }
        if case .attribute(let key, let value) = set { return "\(key) != '\(value)'" }
        return "!\(set.description)"
    }
}

extension Condition {
    /// The terms of the condition, each once, in the order of the text. A term inside of a negation counts as the
    /// opposite term.
    package var terms: [ConditionTerm] {
        var terms: [ConditionTerm] = []
        var known: Set<ConditionTerm> = []
        root.forEachTerm(isNegated: false) { if known.insert($0).inserted { terms.append($0) } }
        return terms
    }
}

extension Condition.Node {
    fileprivate func forEachTerm(isNegated: Bool, _ body: (ConditionTerm) -> Void) {
        switch self {
        case .set(let name): body(ConditionTerm(set: name, isNegated: isNegated))
        case .not(let inner): inner.forEachTerm(isNegated: !isNegated, body)
        case .every(let parts), .any(let parts):
            for part in parts { part.forEachTerm(isNegated: isNegated, body) }
        }
    }
}

/// A parsed condition with the number of devices for which it holds now (EXPLAIN, Protocol 9.4).
public struct Explanation: Hashable, Sendable {
    /// One of the sets that the condition names.
    public struct Term: Hashable, Sendable {
        /// The set as a condition of its own.
        public var set: String
        /// The number of devices in the set.
        public var devices: UInt64

        /// Makes a term; `set` must be a condition in canonical form that consists of one set.
        public init(set: String, devices: UInt64) {
            self.set = set
            self.devices = devices
        }
    }

    /// The condition in its canonical form.
    public var condition: String
    /// The number of devices for which it holds, muted ones included.
    public var devices: UInt64
    /// The sets, in the order in which the condition names them.
    public var terms: [Term]

    /// Makes an explanation; `terms` must be in the order in which the condition names them.
    public init(condition: String, devices: UInt64, terms: [Term]) {
        self.condition = condition
        self.devices = devices
        self.terms = terms
    }
}
