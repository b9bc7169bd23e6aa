import CarillonSpelling
import Foundation

/// A condition on a metric of a result, such as `lookup.p99_ms > 10`.
struct MetricCondition: Equatable, Sendable {
    /// The comparison that a condition makes.
    enum Relation: String, CaseIterable, Sendable {
        // The longer signs come first, because they begin with the shorter ones.
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"
    }

    let metric: String
    let relation: Relation
    let bound: Double

    /// Parses a condition. Spaces around the sign are optional.
    init(_ text: String) throws(LoadTestError) {
        let found = text.indices.lazy.compactMap { index in
            Relation.allCases.first { text[index...].hasPrefix($0.rawValue) }.map { (index, $0) }
        }.first
        guard let (index, relation) = found else {
            throw LoadTestError("A condition is a metric, <, <=, > or >=, and a number: 'lookup.p99_ms < 10'.")
        }
        let end = text.index(index, offsetBy: relation.rawValue.count)
        let number = text[end...].trimmingCharacters(in: .whitespaces)
        guard let bound = Double(number), bound.isFinite else {
            throw LoadTestError("'\(number)' is not a number; times are in milliseconds: 'lookup.p99_ms < 10'.")
        }
        metric = text[..<index].trimmingCharacters(in: .whitespaces)
        self.relation = relation
        self.bound = bound
    }

    func holds(for value: Double) -> Bool {
        switch relation {
        case .below: value < bound
        case .atMost: value <= bound
        case .above: value > bound
        case .atLeast: value >= bound
        }
    }

    /// The condition as an argument of the command line.
    var text: String { "\(metric) \(relation.rawValue) \(bound.plain)" }

    /// Checks that the metric of the condition is among `names`.
    func check(_ names: [String]) throws(LoadTestError) {
        guard !names.contains(metric) else { return }
        if let nearest = Spelling.nearest(to: metric, among: names) {
            throw LoadTestError("'\(metric)' is not a metric of this run. Did you mean '\(nearest)'?")
        }
        let parts = names.compactMap { $0.split(separator: ".").first.map(String.init) }
        let first = parts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        throw LoadTestError(
            "'\(metric)' is not a metric of this run. There are metrics of \(first.joined(separator: ", ")), "
                + "such as \(names.first { $0.hasSuffix(".p99_ms") } ?? "all.p99_ms").")
    }

    func result(in metrics: [Metric]) -> ConditionResult {
        let value = metrics.first { $0.name == metric }?.value
        return ConditionResult(condition: text, value: value, holds: value.map { holds(for: $0) })
    }
}

extension Double {
    /// The number with at most four decimals, without zeros at the end.
    var plain: String {
        let text = String(format: "%.4f", self)
        return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }
}

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
