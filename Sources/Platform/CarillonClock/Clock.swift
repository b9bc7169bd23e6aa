package import CarillonCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The clocks of this machine, for decisions that take time as an argument.
///
/// Decisions get their times from here. Code that only waits, or measures how long work takes, may read a clock of its
/// own. Event loops have the same uptime: their `NIODeadline` counts its nanoseconds.
package enum Clock {
    #if canImport(Darwin)
    /// The monotonic clock that SwiftNIO reads on Darwin; it stops while the machine sleeps.
    private static var monotonic: clockid_t { CLOCK_UPTIME_RAW }
    #else
    private static var monotonic: clockid_t { CLOCK_MONOTONIC }
    #endif

    /// Returns the current time of both clocks.
    package static func now() -> Moment {
        Moment(wall: wallTime(), uptime: uptime())
    }

    /// Returns the time of `CLOCK_REALTIME`.
    package static func wallTime() -> Timestamp {
        Timestamp(milliseconds: milliseconds(of: read(CLOCK_REALTIME)))
    }

    /// Returns the microseconds of `CLOCK_REALTIME` since 1970, for measurements.
    package static func wallMicroseconds() -> UInt64 {
        let time = read(CLOCK_REALTIME)
        return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(max(0, time.tv_nsec)) / 1_000
    }

    /// Returns the time of the monotonic clock.
    package static func uptime() -> Uptime { Uptime(milliseconds: milliseconds(of: read(monotonic))) }

    /// Returns the nanoseconds of the monotonic clock.
    package static func uptimeNanoseconds() -> UInt64 {
        let time = read(monotonic)
        return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(max(0, time.tv_nsec))
    }

    /// Reads a clock. It cannot fail: the clocks exist everywhere, and the address is good (clock_gettime(2)).
    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }

    private static func milliseconds(of time: timespec) -> UInt64 {
        UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(max(0, time.tv_nsec)) / 1_000_000
    }
}
