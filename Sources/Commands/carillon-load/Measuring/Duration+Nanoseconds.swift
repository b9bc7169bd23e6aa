/// The durations as whole nanoseconds.
extension Duration {
    /// The number of whole nanoseconds; 0 for a negative duration.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max / 2 : whole.partialValue + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
