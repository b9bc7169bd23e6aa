import FoundationEssentials
import Glibc

/// What the kernel says of this process.
struct ProcessStatistics {
    /// Processor time, user and system, in seconds.
    var processorSeconds = 0.0
    /// Memory that it occupies, in bytes.
    var residentBytes = 0
    /// Open files and sockets.
    var openFiles = 0
    /// The most of these.
    var fileLimit = 0

    /// Asks the kernel; what it does not tell is 0.
    static func read() -> ProcessStatistics {
        var figures = ProcessStatistics()
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            figures.processorSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }
        if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) {
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            figures.residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
        figures.openFiles = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.fileLimit = Int(clamping: limit.rlim_cur)
        }
        return figures
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
