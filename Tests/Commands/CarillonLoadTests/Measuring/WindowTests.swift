import Testing

@testable import carillon_load

/// The intervals into which the time of a measurement is divided.
struct WindowTests {
    @Test(
        arguments: [
            (milliseconds: 100, intervals: 1), (milliseconds: 10_000, intervals: 40),
            (milliseconds: 30_000, intervals: 60), (milliseconds: 600_000, intervals: 60),
            (milliseconds: 604_800_000, intervals: 168),
        ] as [(milliseconds: UInt64, intervals: Int)])
    func theNumberOfIntervalsFollowsFromTheDuration(milliseconds: UInt64, intervals: Int) {
        let window = Window(
            loadStartNanoseconds: 0, warmUpNanoseconds: 0, durationNanoseconds: milliseconds * 1_000_000)
        #expect(window.intervalCount == intervals)
        #expect(window.intervalIndex(of: window.endNanoseconds - 1) == intervals - 1)
        #expect(window.intervalIndex(of: window.endNanoseconds) == nil)
    }
}
