import CarillonCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Timestamp {
    /// The wall clock's time.
    static var current: Timestamp {
        var time = timespec()
        // Cannot fail: the clock exists everywhere and the address is good (clock_gettime(2)).
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        return Timestamp(milliseconds: UInt64(clamping: milliseconds))
    }
}
