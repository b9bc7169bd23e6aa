import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import carillon_load

/// The percentiles of the histogram compared with those of the sorted numbers.
struct LatencyHistogramTests {
    private static let percentages = [0, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 100]

    private func exact(_ percent: Double, of sorted: [UInt64]) -> UInt64 {
        sorted[max(0, Int((percent / 100 * Double(sorted.count) - 1e-6).rounded(.up)) - 1)]
    }

    /// A distribution of latencies, which are in nanoseconds.
    enum Distribution: UInt64, CaseIterable {
        case small, evenUpToASecond, exponentialAroundAMillisecond
        /// From one nanosecond to an hour, each power of ten with the same weight.
        case evenInPowersOfTen
        case oneOfAHundredSlow

        func number(_ index: Int, using generator: inout SeededGenerator) -> UInt64 {
            switch self {
            case .small: UInt64(index % 2_000)
            case .evenUpToASecond: UInt64(generator.unit() * 1e9)
            case .exponentialAroundAMillisecond: UInt64(-log(1 - generator.unit()) * 1e6)
            case .evenInPowersOfTen: UInt64(pow(10, generator.unit() * 12.5))
            case .oneOfAHundredSlow: index.isMultiple(of: 100) ? 3_000_000_000 : 90_000
            }
        }
    }

    @Test(arguments: [LatencyHistogram.Precision.twoDigits, .threeDigits], Distribution.allCases)
    func `percentiles are precise to their digits`(precision: LatencyHistogram.Precision, distribution: Distribution) {
        var generator = SeededGenerator(seed: TestSeeds.one(distribution.rawValue))
        let count = 20_000
        let numbers = (0..<count).map { distribution.number($0, using: &generator) }.sorted()
        var histogram = LatencyHistogram(precision)
        for number in numbers.shuffled(using: &generator) { histogram.record(number) }
        let error = precision == .threeDigits ? 0.001 : 0.01
        for (percent, value) in zip(Self.percentages, histogram.percentiles(Self.percentages)) {
            let truth = exact(percent, of: numbers)
            #expect(value >= truth, "p\(percent)")
            #expect(Double(value) <= Double(truth) * (1 + error), "p\(percent)")
            #expect(histogram.percentile(percent) == value)
        }
        #expect(histogram.count == UInt64(count))
        #expect(histogram.minimum == numbers.first!)
        #expect(histogram.maximum == numbers.last!)
        let mean = numbers.reduce(0) { $0 + Double($1) } / Double(count)
        #expect(abs(histogram.mean - mean) <= mean * 1e-9)
    }

    @Test func `each bucket begins where the one before ends`() {
        for precision in [LatencyHistogram.Precision.twoDigits, .threeDigits] {
            for index in 1...LatencyHistogram.index(of: 1 << 20, precision) {
                let first = LatencyHistogram.lowest(of: index, precision)
                #expect(LatencyHistogram.index(of: first, precision) == index)
                #expect(LatencyHistogram.index(of: first - 1, precision) == index - 1)
            }
        }
    }

    @Test func `a value above the limit counts as the limit`() {
        var histogram = LatencyHistogram()
        histogram.record(.max, times: 3)
        #expect(histogram.count == 3)
        #expect(histogram.maximum == LatencyHistogram.limit)
        #expect(histogram.percentile(50) == LatencyHistogram.limit)
    }

    @Test func `the sum of two is the histogram of all`() {
        var parts = [LatencyHistogram(), LatencyHistogram()]
        var whole = LatencyHistogram()
        var generator = SeededGenerator(seed: TestSeeds.one(3))
        for index in 0..<5_000 {
            let number = UInt64(generator.unit() * (index.isMultiple(of: 7) ? 1e3 : 1e7))
            parts[index.isMultiple(of: 7) ? 0 : 1].record(number)
            whole.record(number)
        }
        for order in [[0, 1], [1, 0]] {
            var sum = LatencyHistogram()
            sum.add(LatencyHistogram())
            for part in order { sum.add(parts[part]) }
            #expect(sum == whole)
            #expect(sum.minimum == whole.minimum)
            #expect(sum.maximum == whole.maximum)
        }
    }

    @Test func `an empty histogram has percentiles of zero`() {
        #expect(LatencyHistogram().percentiles([0, 50, 100]) == [0, 0, 0])
        #expect(LatencyHistogram().mean == 0)
    }

    @Test func `JSON restores the histogram`() throws {
        var histogram = LatencyHistogram()
        for number in [0, 5, 2_047, 2_048, 1_000_003, UInt64.max] { histogram.record(number, times: 2) }
        let json = try JSONEncoder().encode(histogram)
        #expect(try JSONDecoder().decode(LatencyHistogram.self, from: json) == histogram)
    }

    @Test(arguments: [
        #"{"precision":11,"minimum":0,"maximum":1,"sum":1,"buckets":[[99999999,1]]}"#,
        #"{"precision":11,"minimum":0,"maximum":1,"sum":1,"buckets":[[1]]}"#,
        #"{"precision":11,"minimum":0,"maximum":1,"sum":1,"buckets":[[1,18446744073709551615],[2,1]]}"#,
        #"{"precision":40,"minimum":0,"maximum":1,"sum":1,"buckets":[]}"#,
        #"{"precision":11,"minimum":2,"maximum":1,"sum":1,"buckets":[]}"#,
        #"{"precision":11,"minimum":0,"maximum":1,"sum":-1,"buckets":[]}"#,
    ])
    func `damaged JSON is refused`(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LatencyHistogram.self, from: Data(json.utf8)) }
    }
}
