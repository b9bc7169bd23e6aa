import CarillonTestKit
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
        while let rate = search.nextRate {
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

    @Test func `the rate doubles and then the gap is halved`() {
        let (rates, search) = run(search(precision: 0.15)) { $0 <= 500 }
        // Each rate that fails is tried twice.
        #expect(rates == [100, 200, 400, 800, 800, 600, 600, 500, 550, 550])
        #expect(search.highestHolding == 500)
        #expect(search.lowestFailing == 550)
    }

    @Test(arguments: [7.0, 99, 100, 101, 1_234, 99_999, 999_999])
    func `the result is within the precision`(limit: Double) throws {
        let (rates, search) = run(search()) { $0 <= limit }
        let holding = try #require(search.highestHolding)
        let failing = try #require(search.lowestFailing)
        #expect(holding <= limit)
        #expect(limit < failing)
        #expect(failing <= holding * 1.05)
        #expect(rates.count < 60)
    }

    @Test func `the search ends at its bounds`() {
        let all = run(search(bounds: 6.25...1_000)) { _ in true }
        #expect(all.rates == [100, 200, 400, 800, 1_000])
        #expect(all.search.highestHolding == 1_000)
        #expect(all.search.lowestFailing == nil)
        let none = run(search()) { _ in false }
        #expect(none.rates == [100, 100, 50, 50, 25, 25, 12.5, 12.5, 6.25, 6.25])
        #expect(none.search.highestHolding == nil)
        #expect(none.search.lowestFailing == 6.25)
    }

    @Test func `a single disturbance does not end the search`() {
        var disturbances: Set = [200.0, 400]
        let (rates, search) = run(search(bounds: 6.25...400)) { disturbances.remove($0) == nil }
        #expect(rates == [100, 200, 200, 400, 400])
        #expect(search.highestHolding == 400)
        #expect(search.lowestFailing == nil)
    }

    @Test(arguments: 0..<20)
    func `the search ends if rates hold at random`(number: Int) {
        var generator = SeededGenerator(seed: TestSeeds.one(UInt64(number)))
        let (rates, search) = run(search()) { _ in generator.unit() < 0.5 }
        #expect(rates.count < 100)
        if let holding = search.highestHolding, let failing = search.lowestFailing { #expect(holding < failing) }
    }
}
