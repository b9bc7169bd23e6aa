import Testing

@testable import carillon_load

struct StepLengthTests {
    /// A rate, the limit that it is to hold, and the length of the step.
    struct Step: CustomTestStringConvertible {
        let rate: Double
        let limit: String
        let seconds: Double

        var testDescription: String { "\(limit) at \(rate)" }
    }

    @Test(arguments: [
        Step(rate: 100, limit: "lookup.p99_ms < 1", seconds: 20),
        Step(rate: 1_000, limit: "lookup.p99_ms < 1", seconds: 5),
        Step(rate: 1_000, limit: "lookup.p99_9_ms < 1", seconds: 20),
        Step(rate: 100, limit: "lookup.p90_ms < 1", seconds: 5),
        Step(rate: 10, limit: "lookup.p90_ms < 1", seconds: 20),
        Step(rate: 10, limit: "all.p50_ms < 1", seconds: 10),
        Step(rate: 1_000, limit: "send-token.to_device.p99_ms < 1", seconds: 5),
        Step(rate: 0.01, limit: "all.p99_ms < 1", seconds: 600),
        Step(rate: 100, limit: "server.cores < 1", seconds: 5),
    ])
    func `a step is long enough for its percentile`(_ step: Step) throws {
        let mix = try Mix("lookup=50,send-token=50")
        let limit = try MetricCondition(step.limit)
        let found = StepLength.seconds(rate: step.rate, limits: [limit], mix: mix, minimumSeconds: 5)
        #expect(abs(found - step.seconds) < 1e-9)
    }
}
