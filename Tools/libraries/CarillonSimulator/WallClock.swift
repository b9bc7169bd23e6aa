import Glibc

/// Returns the current time in milliseconds since 1970.
package func millisecondsSince1970() -> Int64 { microsecondsSince1970() / 1000 }

/// Returns the current time in microseconds since 1970.
package func microsecondsSince1970() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
