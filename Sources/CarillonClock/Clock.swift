package import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads the clocks of this machine, for decisions that take time as an argument.
package enum Clock {
    /// Returns the current time of both clocks.
    package static func now() -> Moment {
        Moment(wall: wallTime(), uptimeMilliseconds: uptimeMilliseconds())
    }

    /// Returns the time of `CLOCK_REALTIME`.
    package static func wallTime() -> Timestamp { Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)) }

    /// Returns the milliseconds of `CLOCK_MONOTONIC`.
    package static func uptimeMilliseconds() -> UInt64 { milliseconds(CLOCK_MONOTONIC) }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(max(0, time.tv_nsec)) / 1_000_000
    }
}
