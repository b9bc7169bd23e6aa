/// A time of a clock that never goes back; only differences have a meaning.
///
/// The clock is `CLOCK_MONOTONIC`, on Darwin `CLOCK_UPTIME_RAW`.
///
/// A type of its own, so that it is not taken for a duration, for nanoseconds or for wall-clock time: all three are
/// numbers.
@frozen
public struct Uptime: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Milliseconds of the clock.
    public var milliseconds: UInt64

    /// Makes a time from milliseconds of the clock.
    @inlinable
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Makes a time from milliseconds of the clock: 0 in a decision that has not begun, any number in a test.
    @inlinable
    public init(integerLiteral value: UInt64) { milliseconds = value }

    /// The milliseconds.
    public var description: String { "\(milliseconds)" }

    /// A time that does not come.
    @inlinable
    public static var max: Uptime { Uptime(milliseconds: .max) }

    /// Compares two times.
    @inlinable
    public static func < (left: Uptime, right: Uptime) -> Bool { left.milliseconds < right.milliseconds }

    /// The time `milliseconds` later. Traps if there is none.
    @inlinable
    public static func + (time: Uptime, milliseconds: UInt64) -> Uptime {
        Uptime(milliseconds: time.milliseconds + milliseconds)
    }

    /// Moves the time on by `milliseconds`.
    @inlinable
    public static func += (time: inout Uptime, milliseconds: UInt64) { time.milliseconds += milliseconds }

    /// The time `milliseconds` later; `max` if there is none.
    @inlinable
    public func later(byMilliseconds milliseconds: UInt64) -> Uptime {
        let (sum, overflows) = self.milliseconds.addingReportingOverflow(milliseconds)
        return overflows ? .max : Uptime(milliseconds: sum)
    }

    /// The time `milliseconds` earlier; 0 if there is none.
    @inlinable
    public func earlier(byMilliseconds milliseconds: UInt64) -> Uptime {
        Uptime(milliseconds: self.milliseconds - min(milliseconds, self.milliseconds))
    }

    /// Milliseconds from `earlier` to this time; 0 if `earlier` is later.
    @inlinable
    public func milliseconds(since earlier: Uptime) -> UInt64 { self > earlier ? self - earlier : 0 }

    /// The milliseconds between two times. Traps if `earlier` is later.
    @inlinable
    public static func - (later: Uptime, earlier: Uptime) -> UInt64 { later.milliseconds - earlier.milliseconds }
}
