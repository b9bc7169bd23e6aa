import CarillonCore

/// Times of a change, as they count when the change is applied at `now`.
extension Timestamp {
    /// Returns a time that a caller gave, as it counts; 0 and the future stand for now (Protocol 7).
    func effective(at now: Timestamp) -> Timestamp { self == .zero ? now : min(self, now) }

    /// Returns a stored time, but not later than now. The clock may have been ahead when the time was stored. Without
    /// this bound every registration of the device would be stale until then.
    func clamped(to now: Timestamp) -> Timestamp { min(self, now) }

    /// Returns the time that is earlier by a number of milliseconds; nil if that is before 1970.
    func earlier(byMilliseconds difference: UInt64) -> Timestamp? {
        milliseconds >= difference ? Timestamp(milliseconds: milliseconds - difference) : nil
    }
}
