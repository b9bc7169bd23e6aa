import CoreMetrics

/// A recorder of durations. Many are equal, because results come together: equal durations in a row are counted, and
/// recorded in one piece.
struct DurationRecorder {
    private let handler: any TimerHandler
    private var milliseconds: UInt64 = 0
    private var count = 0

    init(_ handler: any TimerHandler) {
        self.handler = handler
    }

    /// Adds a duration; it is recorded by the next one that differs, or by `flush`.
    mutating func add(milliseconds: UInt64) {
        if milliseconds != self.milliseconds {
            flush()
            self.milliseconds = milliseconds
        }
        count += 1
    }

    /// Records the durations that were added.
    mutating func flush() {
        guard count > 0 else { return }
        let (nanoseconds, overflows) = Int64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let value = overflows ? .max / Int64(count) : nanoseconds
        if let histogram = handler as? PrometheusHistogram {
            histogram.record(value, times: count)
        } else {
            for _ in 0..<count { handler.recordNanoseconds(value) }
        }
        count = 0
    }
}
