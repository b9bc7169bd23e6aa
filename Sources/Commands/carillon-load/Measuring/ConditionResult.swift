/// A condition and whether it held.
struct ConditionResult: Codable, Equatable, Sendable {
    var condition: String
    /// The value of the metric; nil if the result has none.
    var value: Double?
    /// True if the condition holds; nil if the metric has no value.
    var holds: Bool?

    private enum CodingKeys: String, CodingKey {
        case condition, value, holds
    }

    /// Encodes a property that is nil as `null`.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(condition, forKey: .condition)
        try container.encode(value, forKey: .value)
        try container.encode(holds, forKey: .holds)
    }

    var text: String { "\(condition) (\(value.map { "is \($0.plain)" } ?? "there is no value"))" }
}
