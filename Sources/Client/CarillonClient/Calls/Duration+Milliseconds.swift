/// Conversion to the durations of the protocol, which are whole milliseconds.
extension Duration {
    /// The duration in whole milliseconds, clamped between 0 and some thirty years.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < 1_000_000_000 ? UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000) : 1 << 40
    }
}
