package import CarillonCore
import Glibc

/// Reads both clocks, for decisions that take time as an argument.
package enum Clock {
    /// Returns the current time of both clocks.
    package static func now() -> Moment {
        Moment(
            wall: Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)),
            uptimeMilliseconds: milliseconds(CLOCK_MONOTONIC)
        )
    }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(max(0, time.tv_nsec)) / 1_000_000
    }
}
