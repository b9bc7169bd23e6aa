import CarillonClock
import Glibc

/// The CPU time of this process, and the wall-clock time.
struct ProcessTimes {
    /// The CPU seconds of user and system, of all threads.
    var cpuSeconds: Double
    var wallSeconds: Double

    static var now: ProcessTimes {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let cpuSeconds =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        return ProcessTimes(cpuSeconds: cpuSeconds, wallSeconds: Double(Clock.uptimeNanoseconds()) / 1e9)
    }

    static func - (later: ProcessTimes, earlier: ProcessTimes) -> ProcessTimes {
        ProcessTimes(
            cpuSeconds: later.cpuSeconds - earlier.cpuSeconds, wallSeconds: later.wallSeconds - earlier.wallSeconds)
    }
}
