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

    /// The requests of each interval, and the number of intervals that are joined.
    struct Joining: CustomTestStringConvertible {
        let requests: UInt64
        let intervals: Int
        let joined: Int

        var testDescription: String { "\(intervals) intervals of \(requests)" }
    }

    @Test(
        arguments: [
            Joining(requests: 3, intervals: 100, joined: 34),
            Joining(requests: 1_000, intervals: 100, joined: 1),
            Joining(requests: 1, intervals: 100, joined: 100),
            Joining(requests: 0, intervals: 100, joined: 1),
            Joining(requests: 99, intervals: 10, joined: 2),
            Joining(requests: 7, intervals: 1, joined: 1),
            Joining(requests: 5, intervals: 0, joined: 1),
        ])
    func intervalsGrowUntilTheyHaveEnoughRequests(_ joining: Joining) {
        let (requests, intervals, joined) = (joining.requests, joining.intervals, joining.joined)
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
