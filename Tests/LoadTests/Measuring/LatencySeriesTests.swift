import CarillonCommandLine
import Foundation
import Testing

@testable import carillon_load

/// The percentiles over time.
struct LatencySeriesTests {
    private func histograms(_ counts: [UInt64]) -> [LatencyHistogram] {
        counts.enumerated().map { index, count in
            var histogram = LatencyHistogram(.twoDigits)
            histogram.record(UInt64(index + 1) * 1_000, times: count)
            return histogram
        }
    }

    @Test(
        arguments: [
            // The requests of each interval, the intervals, the intervals that are joined.
            (3, 100, 34), (1_000, 100, 1), (1, 100, 100), (0, 100, 1), (99, 10, 2), (7, 1, 1), (5, 0, 1),
        ] as [(UInt64, Int, Int)])
    func intervalsGrowUntilTheyHaveEnoughRequests(requests: UInt64, intervals: Int, joined: Int) {
        let series = LatencySeries(
            histograms(Array(repeating: requests, count: intervals)), intervalSeconds: 0.1)
        #expect(abs(series.intervalSeconds - 0.1 * Double(joined)) < 1e-9)
        #expect(series.intervals.count == (requests == 0 ? 0 : (intervals + joined - 1) / joined))
        #expect(series.intervals.reduce(0) { $0 + $1.count } == requests * UInt64(intervals))
    }

    @Test func aJoinedIntervalHasThePercentilesOfAllItsRequests() {
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
