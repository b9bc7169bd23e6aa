/// A time of a clock that never goes back. Only differences between such times have a meaning.
///
/// The clock is `CLOCK_MONOTONIC`, on Darwin `CLOCK_UPTIME_RAW`.
///
/// It has a type of its own so that it is not mistaken for a duration, for nanoseconds or for wall-clock time, which
/// are all numbers.
@frozen
public struct Uptime: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The milliseconds of the clock.
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

    /// Returns the time `milliseconds` later. Traps on an overflow.
    @inlinable
    public static func + (time: Uptime, milliseconds: UInt64) -> Uptime {
        Uptime(milliseconds: time.milliseconds + milliseconds)
    }

    /// Moves the time on by `milliseconds`.
    @inlinable
    public static func += (time: inout Uptime, milliseconds: UInt64) { time.milliseconds += milliseconds }

    /// Returns the time `milliseconds` later; `max` instead of an overflow.
    @inlinable
    public func later(byMilliseconds milliseconds: UInt64) -> Uptime {
        let (sum, overflows) = self.milliseconds.addingReportingOverflow(milliseconds)
        return overflows ? .max : Uptime(milliseconds: sum)
    }

    /// Returns the time `milliseconds` earlier; 0 instead of a negative time.
    @inlinable
    public func earlier(byMilliseconds milliseconds: UInt64) -> Uptime {
        Uptime(milliseconds: self.milliseconds - min(milliseconds, self.milliseconds))
    }

    /// Returns the milliseconds from `earlier` to this time; 0 if `earlier` is later.
    @inlinable
    public func milliseconds(since earlier: Uptime) -> UInt64 { self > earlier ? self - earlier : 0 }

    /// Returns the milliseconds between two times. Traps if `earlier` is later.
    @inlinable
    public static func - (later: Uptime, earlier: Uptime) -> UInt64 { later.milliseconds - earlier.milliseconds }
}
