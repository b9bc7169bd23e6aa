import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The percentiles over time, in intervals that are joined until each has enough requests.
struct LatencySeriesTests {
    private func histograms(_ counts: [UInt64]) -> [LatencyHistogram] {
        counts.enumerated().map { index, count in
            var histogram = LatencyHistogram(.twoDigits)
            histogram.record(UInt64(index + 1) * 1_000, times: count)
            return histogram
        }
    }

    /// The requests of each interval, the number of intervals that are joined, and the number of those that result.
    struct Joining: CustomTestStringConvertible {
        let requests: UInt64
        let intervals: Int
        let joined: Int
        let result: Int

        var testDescription: String { "\(intervals) intervals of \(requests)" }
    }

    @Test(
        arguments: [
            Joining(requests: 3, intervals: 100, joined: 34, result: 3),
            Joining(requests: 1_000, intervals: 100, joined: 1, result: 100),
            Joining(requests: 1, intervals: 100, joined: 100, result: 1),
            Joining(requests: 0, intervals: 100, joined: 1, result: 0),
            Joining(requests: 99, intervals: 10, joined: 2, result: 5),
            Joining(requests: 7, intervals: 1, joined: 1, result: 1),
            Joining(requests: 5, intervals: 0, joined: 1, result: 0),
        ])
    func `intervals grow until they have enough requests`(_ joining: Joining) {
        let series = LatencySeries(
            histograms(Array(repeating: joining.requests, count: joining.intervals)), intervalSeconds: 0.1)
        #expect(abs(series.intervalSeconds - 0.1 * Double(joining.joined)) < 1e-9)
        #expect(series.intervals.count == joining.result)
        #expect(series.intervals.reduce(0) { $0 + $1.count } == joining.requests * UInt64(joining.intervals))
    }

    @Test func `a joined interval has the percentiles of all its requests`() {
        let series = LatencySeries(histograms([50, 40, 9, 1, 60, 40]), intervalSeconds: 0.5)
        #expect(series.intervals.map(\.count) == [99, 101])
        #expect(series.intervalSeconds == 1.5)
        let first = series.intervals[0]
        // Within the precision of an interval.
        #expect((1_000...1_010).contains(first.p50))
        #expect((3_000...3_030).contains(first.p99))
        #expect(first.max == 3_000)
    }
}
