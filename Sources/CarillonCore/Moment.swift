/// One moment on two clocks: the wall clock for times that operators and APNs see, a monotonic clock for delays.
///
/// The decision modules have no clock of their own; their caller reads both clocks and passes the moment in.
public struct Moment: Hashable, Sendable {
    /// Wall-clock time; it may jump.
    public var wall: Timestamp
    /// Milliseconds of a clock that never goes back; only differences have a meaning.
    public var uptimeMilliseconds: UInt64

    /// Makes a moment from the readings of both clocks.
    public init(wall: Timestamp, uptimeMilliseconds: UInt64) {
        self.wall = wall
        self.uptimeMilliseconds = uptimeMilliseconds
    }
}
