import CarillonCore

/// The use of a silent-push budget by the pushes of some times.
extension RegistrySettings.SilentBudget {
    func isCounted(_ time: Timestamp, at now: Timestamp) -> Bool {
        time.later(byMilliseconds: milliseconds) > now
    }

    /// Returns the time at which a device with pushes of those times, ascending, may have one more; nil if it may have
    /// it at `now`.
    func nextPushTime(after times: [Timestamp], at now: Timestamp) -> Timestamp? {
        guard pushes > 0, times.count >= pushes else { return nil }
        let oldest = times[times.count - pushes]
        return isCounted(oldest, at: now) ? oldest.later(byMilliseconds: milliseconds) : nil
    }
}
