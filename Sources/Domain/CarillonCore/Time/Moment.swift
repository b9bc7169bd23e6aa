/// One moment on two clocks: the wall clock, for times that operators and providers see, and a monotonic clock, for
/// delays.
///
/// The decision modules have no clock of their own; their caller reads both clocks and passes the moment in.
public struct Moment: Hashable, Sendable {
    /// The time of the wall clock, which may jump.
    public var wall: Timestamp
    /// The time of a clock that never goes back.
    public var uptime: Uptime

    /// Makes a moment; both clocks must have been read together.
    public init(wall: Timestamp, uptime: Uptime) {
        self.wall = wall
        self.uptime = uptime
    }
}

/// Finds out that the wall clock was set while the server runs, by comparing it with the monotonic clock.
extension Moment {
    /// The wall clock counts as set if the two clocks differ by more than this, in milliseconds.
    private static let driftMilliseconds: UInt64 = 120_000

    /// Returns true if the wall clock was set since an earlier moment: a time that was computed from it then is wrong.
    package func wasWallClockSet(since earlier: Moment) -> Bool {
        let elapsed = uptime.milliseconds(since: earlier.uptime)
        let expected = earlier.wall.later(byMilliseconds: elapsed).milliseconds
        return max(wall.milliseconds, expected) - min(wall.milliseconds, expected) > Self.driftMilliseconds
    }
}
