package import CarillonCore

/// A wall clock that was set while the server runs, seen by its difference to the monotonic clock.
extension Moment {
    /// The difference of the two clocks, in milliseconds, from which on the wall clock counts as set.
    private static let driftMilliseconds: UInt64 = 120_000

    /// Returns true if the wall clock was set since an earlier moment: a time that was computed from it then is wrong.
    package func wasWallClockSet(since earlier: Moment) -> Bool {
        let elapsed = uptime.milliseconds(since: earlier.uptime)
        let expected = earlier.wall.later(byMilliseconds: elapsed).milliseconds
        return max(wall.milliseconds, expected) - min(wall.milliseconds, expected) > Self.driftMilliseconds
    }
}
