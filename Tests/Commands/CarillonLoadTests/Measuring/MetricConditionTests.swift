import Testing

@testable import carillon_load

/// Conditions on the metrics of a run: `lookup.p99_ms < 10`.
struct MetricConditionTests {
    @Test(arguments: [
        ("lookup.p99_ms > 10", "lookup.p99_ms > 10"), ("lookup.p99_ms>10", "lookup.p99_ms > 10"),
        (" all.failed  >=  0.5 ", "all.failed >= 0.5"), ("a<=1e3", "a <= 1000"), ("a < -1", "a < -1"),
    ])
    func `a condition is parsed`(text: String, condition: String) throws {
        #expect(try MetricCondition(text).text == condition)
    }

    @Test(arguments: [
        ("lookup.p99_ms", "a metric, <"), ("", "a metric, <"), ("a > ten", "'ten' is not a number"),
        ("a > 10ms", "'10ms' is not a number"), ("a > nan", "not a number"), ("a == 3", "a metric, <"),
        ("a > ", "not a number"),
        ("a >> 3", "not a number"),
    ])
    func `an invalid condition is explained`(text: String, words: String) {
        let failure = #expect(throws: LoadTestError.self) { try MetricCondition(text) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
    }

    @Test(arguments: [
        ("a < 2", [true, false, false]), ("a <= 2", [true, true, false]), ("a > 2", [false, false, true]),
        ("a >= 2", [false, true, true]),
    ])
    func `a condition compares a metric with its bound`(text: String, expected: [Bool]) throws {
        let condition = try MetricCondition(text)
        #expect([1, 2, 3].map(condition.holds) == expected)
        let values = [1, 2, 3].map { condition.result(in: [Metric(name: "a", value: $0)]) }
        #expect(values.map(\.holds) == expected)
        #expect(values.map(\.value) == [1, 2, 3])
    }

    @Test(arguments: [[], [Metric(name: "a", value: nil)]])
    func `a condition without a value neither holds nor fails`(metrics: [Metric]) throws {
        let result = try MetricCondition("a < 2").result(in: metrics)
        #expect(result.holds == nil)
        #expect(result.text == "a < 2 (there is no value)")
    }

    @Test(arguments: [
        ("lokup.p99_ms < 1", "Did you mean 'lookup.p99_ms'?"), ("lookup.p99 < 1", "Did you mean 'lookup.p99_ms'?"),
        ("send_token.p50_ms < 1", "Did you mean 'send-token.p50_ms'?"), ("speed < 1", "There are metrics of lookup,"),
    ])
    func `an unknown metric is refused with advice`(text: String, words: String) throws {
        let names = Runs.full().metrics.map(\.name)
        let condition = try MetricCondition(text)
        let failure = #expect(throws: LoadTestError.self) { try condition.check(names) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
        try MetricCondition("lookup.p99_ms < 1").check(names)
    }
}
