/// Placeholder until the parser is merged.
public struct Condition: Hashable, Sendable, CustomStringConvertible {
    /// The canonical text.
    public let description: String

    package init(text: String) { description = text }

    /// Reads a condition.
    public init(_ text: String) throws(ConditionError) {
        guard !text.isEmpty else { throw ConditionError() }
        description = text
    }

    /// The devices of a topic.
    public static func topic(_ topic: TopicName) -> Condition { Condition(text: "'\(topic)' in topics") }
    /// The devices of any of the groups.
    public static func groups(_ groups: [GroupName]) -> Condition {
        Condition(text: groups.map { "'\($0)' in groups" }.joined(separator: " || "))
    }
    /// Every device.
    public static let all = Condition(text: "all")
}

/// Placeholder until the parser is merged.
public struct ConditionError: Error, CustomStringConvertible {
    /// The place.
    public let column = 1
    /// What is wrong.
    public let description = "not a condition"
}
