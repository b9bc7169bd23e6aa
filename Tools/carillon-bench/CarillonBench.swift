import ArgumentParser
import CarillonClock
import Glibc

/// The bench programs of `Tools/bench`, which starts them with everything that they need. Each prints one line of JSON.
/// `log` is for you: it needs a log database of yours, and prints RESULT lines.
@main
struct CarillonBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon-bench",
        abstract: "Measures parts of Carillon; Tools/bench runs most of it beside a reference program.",
        subcommands: [
            SenderBench.self, RequestBench.self, LatencyBench.self, AudienceBench.self, PostingsBench.self,
            LogBench.self,
        ]
    )
}

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

/// Durations as the benches print them.
extension Duration {
    var fractionalMilliseconds: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
