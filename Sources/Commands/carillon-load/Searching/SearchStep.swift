import CarillonCommandLine

/// One step of a search: a run at one rate, and whether the rate holds.
struct SearchStep: Encodable, Equatable {
    /// The number of requests that are due a second, on average.
    var rate: Double
    /// The measured time in seconds.
    var seconds: Double
    var answeredPerSecond: Double
    var failed: UInt64
    /// The limits and the values of their metrics.
    var limits: [ConditionResult]
    /// The reasons why the rate does not hold; empty if it holds.
    var reasons: [String]

    /// True if every limit holds, no request failed, and nearly all were answered in time.
    var holds: Bool { reasons.isEmpty }

    private enum CodingKeys: String, CodingKey {
        case rate, seconds, answeredPerSecond, failed, limits, reasons, holds
    }

    init(rate: Double, result: RunResult, limits: [MetricCondition]) {
        self.rate = rate
        seconds = result.seconds
        answeredPerSecond = result.throughput
        failed = result.failed
        let metrics = result.metrics
        self.limits = limits.map { $0.result(in: metrics) }
        reasons = self.limits.filter { $0.holds != true }.map { "not \($0.text)" }
        let errors = result.operations.reduce(into: [:]) { $0.merge($1.errors) { $0 + $1 } }
        reasons += errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($1.grouped) × \($0)" }
        if !result.isRateHeld {
            let share = result.throughput / max(result.duePerSecond, 1e-9)
            reasons.append("only \(UnitFormat.percent(share)) were answered in time")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rate, forKey: .rate)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(answeredPerSecond, forKey: .answeredPerSecond)
        try container.encode(failed, forKey: .failed)
        try container.encode(limits, forKey: .limits)
        try container.encode(reasons, forKey: .reasons)
        try container.encode(holds, forKey: .holds)
    }

    var line: String {
        let values = limits.map { limit in
            let name = limit.condition.prefix { $0 != " " }
            return "\(name) \(limit.value?.plain ?? "–")"
        }
        let cells = [
            "\(rate.short)/s".rightAligned(in: 12), UnitFormat.seconds(seconds).rightAligned(in: 8),
            holds ? "holds" : "fails",
        ]
        let details = holds ? values : reasons
        return (cells + [details.joined(separator: "; ")]).joined(separator: "  ")
    }
}

/// A value that is `null` in JSON if it is nil, so that its name is always there.
@propertyWrapper
struct NullIfNil<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
