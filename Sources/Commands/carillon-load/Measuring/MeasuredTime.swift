/// The start of a load, and its measured part, as uptimes.
struct MeasuredTime: Equatable, Sendable {
    /// The time from which requests may be due.
    let loadStartNanoseconds: UInt64
    /// The start of the measured time. The requests that are due from then on are measured.
    let startNanoseconds: UInt64
    /// The end of the measured time. The requests that are due from then on are not measured.
    var endNanoseconds: UInt64
    /// The length of an interval of values over time.
    let intervalNanoseconds: UInt64

    /// The most intervals. More would not be visible in a plot.
    private static let maximumIntervals: UInt64 = 100

    init(loadStartNanoseconds: UInt64, warmUpNanoseconds: UInt64, durationNanoseconds: UInt64) {
        self.loadStartNanoseconds = loadStartNanoseconds
        startNanoseconds = loadStartNanoseconds + warmUpNanoseconds
        endNanoseconds = startNanoseconds + durationNanoseconds
        let steps: [UInt64] = [100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000]
        let milliseconds = steps.first { durationNanoseconds / ($0 * 1_000_000) < Self.maximumIntervals } ?? 3_600_000
        intervalNanoseconds = milliseconds * 1_000_000
    }

    /// Returns the index of the interval that contains `time`; nil outside the measured time.
    func intervalIndex(of time: UInt64) -> Int? {
        guard time >= startNanoseconds, time < endNanoseconds else { return nil }
        return Int((time - startNanoseconds) / intervalNanoseconds)
    }

    /// The number of intervals. The last may be shorter.
    var intervalCount: Int {
        Int((endNanoseconds - startNanoseconds + intervalNanoseconds - 1) / intervalNanoseconds)
    }

    var seconds: Double { Double(endNanoseconds - startNanoseconds) / 1e9 }
}

extension Duration {
    /// The number of whole nanoseconds; 0 for a negative duration.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max / 2 : whole.partialValue + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
