import CarillonTestKit
import Foundation
import Testing

import struct CarillonCore.SeededGenerator

@testable import carillon_load

/// The rates of a search, against servers that hold everything up to some rate.
struct RateSearchTests {
    /// Runs a search. Returns the rates of all steps, and the search at its end.
    private func run(
        _ search: RateSearch, holds: (Double) -> Bool
    ) -> (rates: [Double], search: RateSearch) {
        var search = search
        var rates: [Double] = []
        while let rate = search.next {
            rates.append(rate)
            search.record(holds: holds(rate))
        }
        return (rates, search)
    }

    private func search(_ start: Double = 100, bounds: ClosedRange<Double> = 6.25...1e6, precision: Double = 0.05)
        -> RateSearch
    {
        RateSearch(start: start, bounds: bounds, precision: precision)
    }

    @Test func theRateDoublesAndThenTheGapIsHalved() {
        let (rates, search) = run(search(precision: 0.15)) { $0 <= 500 }
        // Each rate that fails is tried twice.
        #expect(rates == [100, 200, 400, 800, 800, 600, 600, 500, 550, 550])
        #expect(search.holding == 500)
        #expect(search.failing == 550)
    }

    @Test(arguments: [7.0, 99, 100, 101, 1_234, 99_999, 999_999])
    func theResultIsWithinThePrecision(limit: Double) throws {
        let (rates, search) = run(search()) { $0 <= limit }
        let (holding, failing) = (try #require(search.holding), try #require(search.failing))
        #expect(holding <= limit)
        #expect(limit < failing)
        #expect(failing <= holding * 1.05)
        #expect(rates.count < 60)
    }

    @Test func theSearchEndsAtItsBounds() {
        let all = run(search(bounds: 6.25...1_000)) { _ in true }
        #expect(all.rates == [100, 200, 400, 800, 1_000])
        #expect(all.search.holding == 1_000)
        #expect(all.search.failing == nil)
        let none = run(search()) { _ in false }
        #expect(none.rates == [100, 100, 50, 50, 25, 25, 12.5, 12.5, 6.25, 6.25])
        #expect(none.search.holding == nil)
        #expect(none.search.failing == 6.25)
    }

    @Test func aSingleDisturbanceDoesNotEndTheSearch() {
        var disturbances: Set = [200.0, 400]
        let (rates, search) = run(search(bounds: 6.25...400)) { disturbances.remove($0) == nil }
        #expect(rates == [100, 200, 200, 400, 400])
        #expect(search.holding == 400)
        #expect(search.failing == nil)
    }

    @Test(arguments: 0..<20)
    func theSearchEndsIfRatesHoldAtRandom(number: Int) {
        var generator = SeededGenerator(seed: TestSeeds.one(UInt64(number)))
        let (rates, search) = run(search()) { _ in generator.unit() < 0.5 }
        #expect(rates.count < 100)
        if let holding = search.holding, let failing = search.failing { #expect(holding < failing) }
    }

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
    func aStepIsLongEnoughForItsPercentile(_ step: Step) throws {
        let mix = try Mix("lookup=50,send-token=50")
        let limit = try MetricCondition(step.limit)
        let found = StepLength.seconds(rate: step.rate, limits: [limit], mix: mix, shortest: 5)
        #expect(abs(found - step.seconds) < 1e-9)
    }

    @Test func aStepSaysWhyItsRateDoesNotHold() throws {
        var result = Runs.full()
        for index in result.operations.indices { result.operations[index].errors = [:] }
        let limits = [try MetricCondition("lookup.p99_ms < 100"), try MetricCondition("all.to_device.max_ms < 1000")]
        let good = SearchStep(rate: 1_000, result: result, limits: limits)
        #expect(good.holds)
        #expect(good.line.contains("holds  lookup.p99_ms "))
        result.operations[1].errors = ["OVERLOADED": 1_500]
        let bad = SearchStep(rate: 1_000, result: result, limits: [try MetricCondition("lookup.p99_ms < 0.1")])
        #expect(bad.reasons.count == 3)
        #expect(!bad.holds)
        for words in ["fails", "not lookup.p99_ms < 0.1 (is ", "1,500 × OVERLOADED", "% were answered in time"] {
            #expect(bad.line.contains(words), "\(bad.line)")
        }
        let unknown = SearchStep(rate: 1, result: Runs.empty(), limits: [try MetricCondition("lookup.p99_ms < 1")])
        #expect(unknown.reasons.first == "not lookup.p99_ms < 1 (there is no value)")
    }

    @Test func theResultIsInWordsAndInJSON() throws {
        let run = Runs.full()
        var result = SearchResult(
            startedAt: run.startedAt, settings: run.settings, machine: run.machine, limits: ["lookup.p99_ms < 10"],
            rate: 1_200, failsAt: 1_250,
            steps: [SearchStep(rate: 1_200, result: run, limits: [try MetricCondition("lookup.p99_ms < 10")])],
            notes: ["A."])
        #expect(result.text == "Highest rate that holds: 1,200/s; 1,250/s fails.\n* A.")
        let data = try RunFile.data(of: result)
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let step = try #require((json["steps"] as? [[String: Any]])?.first)
        #expect(json["rate"] as? Double == 1_200)
        #expect(json["fails_at"] as? Double == 1_250)
        #expect(step["holds"] as? Bool == false)
        #expect(step["failed"] as? Int == 20)
        result.rate = nil
        #expect(result.text.hasPrefix("No rate holds: 1,250/s, the lowest, fails."))
    }
}
