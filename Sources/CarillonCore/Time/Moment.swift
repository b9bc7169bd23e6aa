/// One moment on two clocks: the wall clock for times that operators and providers see, a monotonic clock for delays.
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
