/// Follows what a process uses; looks from the first to the last are what counts.
struct UsageMeter {
    private let watched: LoadRunner.Watched
    private var first: ProcessUsage?
    private var last: (usage: ProcessUsage, seconds: Double)?
    private var peak: UInt64 = 0
    private var samples: [RunResult.Sample] = []

    init(_ watched: LoadRunner.Watched) {
        self.watched = watched
    }

    /// Looks at the process; `seconds` from the beginning of what counts.
    mutating func look(at seconds: Double) {
        guard let usage = ProcessUsage(process: watched.process) else { return }
        if first == nil { first = usage }
        peak = max(peak, usage.residentBytes)
        if let last, seconds > last.seconds {
            let cores = (usage.cpuSeconds - last.usage.cpuSeconds) / (seconds - last.seconds)
            samples.append(.init(seconds: seconds, cores: cores, residentBytes: usage.residentBytes))
        }
        last = (usage, seconds)
    }

    var usage: RunResult.Usage {
        RunResult.Usage(
            name: watched.name,
            cpuSeconds: (last?.usage.cpuSeconds ?? 0) - (first?.cpuSeconds ?? 0),
            peakResidentBytes: peak,
            samples: samples
        )
    }
}
