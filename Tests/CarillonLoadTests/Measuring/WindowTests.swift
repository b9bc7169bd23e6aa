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
        let window = Window(loadStart: 0, warmUp: 0, duration: milliseconds * 1_000_000)
        #expect(window.intervals == intervals)
        #expect(window.interval(of: window.end - 1) == intervals - 1)
        #expect(window.interval(of: window.end) == nil)
    }
}
