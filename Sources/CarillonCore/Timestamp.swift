/// A point of wall-clock time: milliseconds since 1970-01-01T00:00Z (Protocol 4.1).
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00Z.
    public var milliseconds: UInt64

    /// Makes a time from milliseconds since 1970-01-01T00:00Z.
    public init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    /// The least time; on the wire it stands for "now" or "not yet".
    public static let zero = Timestamp(milliseconds: 0)

    /// Compares two times.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// This time moved on by `milliseconds`, held at the greatest time instead of overflowing.
    public func advanced(byMilliseconds milliseconds: UInt64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? .max : sum)
    }

    /// Milliseconds from `earlier` to this time; 0 if `earlier` is later.
    public func milliseconds(since earlier: Timestamp) -> UInt64 {
        milliseconds > earlier.milliseconds ? milliseconds - earlier.milliseconds : 0
    }
}

/// What a decision is told of the time: the wall clock for what people and APNs name, a steady clock for waiting.
///
/// Decisions have no clock of their own; their shell reads both and hands them in.
public struct Moment: Hashable, Sendable {
    /// Wall-clock time; may jump.
    public var wall: Timestamp
    /// Milliseconds of a clock that never goes back; only differences mean something.
    public var uptimeMilliseconds: UInt64

    /// Makes a moment of both clocks' readings.
    public init(wall: Timestamp, uptimeMilliseconds: UInt64) {
        self.wall = wall
        self.uptimeMilliseconds = uptimeMilliseconds
    }
}
