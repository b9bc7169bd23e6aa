/// The time that an action took.
extension ContinuousClock.Instant {
    /// The milliseconds from this moment to now.
    var millisecondsUntilNow: UInt64 {
        let (seconds, attoseconds) = duration(to: .now).components
        return UInt64(clamping: seconds) * 1_000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
