import FoundationEssentials
import Glibc

/// The kernel's counters of this process.
struct ProcessStatistics {
    /// Processor time, user and system, in seconds.
    var processorSeconds = 0.0
    /// Resident memory, in bytes.
    var residentBytes = 0
    var openFiles = 0
    /// The limit of open files and sockets.
    var maximumFiles = 0

    /// Reads the counters; a counter that cannot be read is 0.
    static func read() -> ProcessStatistics {
        var statistics = ProcessStatistics()
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            statistics.processorSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }
        // Why try?: without /proc the figure stays 0.
        if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) {
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            statistics.residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
        // Why try?: without /proc the figure stays 0.
        statistics.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            statistics.maximumFiles = Int(clamping: limit.rlim_cur)
        }
        return statistics
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
