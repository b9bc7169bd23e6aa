import Testing

@testable import carillon_load

/// A step of a search: whether its rate holds, and why not.
struct SearchStepTests {
    /// Makes a run without errors.
    private static func run() -> RunResult {
        var result = Runs.full()
        for index in result.operations.indices { result.operations[index].errors = [:] }
        return result
    }

    @Test func `a rate holds that meets each condition`() throws {
        let limits = [try MetricCondition("lookup.p99_ms < 100"), try MetricCondition("all.to_device.max_ms < 1000")]
        let good = SearchStep(rate: 1_000, result: Self.run(), limits: limits)
        #expect(good.holds)
        #expect(good.line.contains("holds  lookup.p99_ms "))
    }

    @Test func `a step says why its rate does not hold`() throws {
        var result = Self.run()
        result.operations[1].errors = ["OVERLOADED": 1_500]
        let bad = SearchStep(rate: 1_000, result: result, limits: [try MetricCondition("lookup.p99_ms < 0.1")])
        #expect(bad.reasons.count == 3)
        #expect(!bad.holds)
        for words in ["fails", "not lookup.p99_ms < 0.1 (is ", "1,500 × OVERLOADED", "% were answered in time"] {
            #expect(bad.line.contains(words), "\(bad.line)")
        }
    }

    @Test func `a rate does not hold without the value of a condition`() throws {
        let unknown = SearchStep(rate: 1, result: Runs.empty(), limits: [try MetricCondition("lookup.p99_ms < 1")])
        #expect(unknown.reasons.first == "not lookup.p99_ms < 1 (there is no value)")
    }
}
