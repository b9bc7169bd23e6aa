import CarillonCore

/// The pushes that a device's silent-push budget counts, and the time of the next one that it allows.
extension RegistrySettings.SilentBudget {
    /// Returns true if a push that was accepted at `time` still counts against the budget at `now`.
    func isCounted(_ time: Timestamp, at now: Timestamp) -> Bool {
        time.later(byMilliseconds: milliseconds) > now
    }

    /// Returns the time at which a device may have one more push; nil if it may have it at `now`.
    ///
    /// - Parameter times: the times of its last pushes, ascending.
    func nextPushTime(after times: [Timestamp], at now: Timestamp) -> Timestamp? {
        guard pushes > 0, times.count >= pushes else { return nil }
        let oldest = times[times.count - pushes]
        return isCounted(oldest, at: now) ? oldest.later(byMilliseconds: milliseconds) : nil
    }
}
