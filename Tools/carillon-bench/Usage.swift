import CarillonClock
import Glibc

/// The CPU time of this process, and the wall-clock time.
struct Usage {
    /// CPU-seconds of user and system, all threads.
    var cpu: Double
    /// Seconds of a monotonic clock.
    var wall: Double

    static var now: Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpu =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        return Usage(cpu: cpu, wall: Double(Clock.uptimeNanoseconds()) / 1e9)
    }

    /// The difference of two readings.
    static func - (later: Usage, earlier: Usage) -> Usage {
        Usage(cpu: later.cpu - earlier.cpu, wall: later.wall - earlier.wall)
    }
}
