import Testing

@testable import carillon_load

/// The intervals into which the time of a measurement is divided.
struct MeasuredTimeTests {
    @Test(
        arguments: [
            (milliseconds: 100, intervals: 1), (milliseconds: 10_000, intervals: 40),
            (milliseconds: 30_000, intervals: 60), (milliseconds: 600_000, intervals: 60),
            (milliseconds: 604_800_000, intervals: 168),
        ] as [(milliseconds: UInt64, intervals: Int)])
    func `the number of intervals follows from the duration`(milliseconds: UInt64, intervals: Int) {
        let measuredTime = MeasuredTime(
            loadStartNanoseconds: 0, warmUpNanoseconds: 0, durationNanoseconds: milliseconds * 1_000_000)
        #expect(measuredTime.intervalCount == intervals)
        #expect(measuredTime.intervalIndex(of: measuredTime.endNanoseconds - 1) == intervals - 1)
        #expect(measuredTime.intervalIndex(of: measuredTime.endNanoseconds) == nil)
    }
}
