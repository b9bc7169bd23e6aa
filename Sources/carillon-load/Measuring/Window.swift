/// The start of a load, and the time that is measured. Times are nanoseconds of uptime.
struct Window: Equatable, Sendable {
    /// The time from which requests may be due.
    let loadStart: UInt64
    /// The start of the measured time. The requests that are due from then on are measured.
    let start: UInt64
    /// The end of the measured time. The requests that are due from then on are not measured.
    var end: UInt64
    /// The length of an interval of values over time.
    let interval: UInt64

    /// The most intervals. More would not be visible in a plot.
    private static let maximumIntervals: UInt64 = 100

    init(loadStart: UInt64, warmUp: UInt64, duration: UInt64) {
        self.loadStart = loadStart
        start = loadStart + warmUp
        end = start + duration
        let steps: [UInt64] = [100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000]
        let milliseconds = steps.first { duration / ($0 * 1_000_000) < Self.maximumIntervals } ?? 3_600_000
        interval = milliseconds * 1_000_000
    }

    /// Returns the index of the interval that contains `time`; nil outside the measured time.
    func interval(of time: UInt64) -> Int? {
        time >= start && time < end ? Int((time - start) / interval) : nil
    }

    /// The number of intervals. The last may be shorter.
    var intervals: Int { Int((end - start + interval - 1) / interval) }

    var seconds: Double { Double(end - start) / 1e9 }
}
