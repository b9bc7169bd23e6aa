/// A meter of the resources that a process uses between the first and the last sample.
struct UsageMeter {
    private let watched: LoadRunner.WatchedProcess
    private var first: ProcessUsage?
    private var last: (usage: ProcessUsage, seconds: Double)?
    private var peak: UInt64 = 0
    private var samples: [RunResult.Sample] = []

    init(_ watched: LoadRunner.WatchedProcess) {
        self.watched = watched
    }

    /// Takes a sample. `seconds` counts from the start of the measured time.
    mutating func sample(at seconds: Double) {
        guard let usage = ProcessUsage(process: watched.process) else { return }
        if first == nil { first = usage }
        peak = max(peak, usage.residentBytes)
        if let last, seconds > last.seconds {
            let cores = (usage.cpuSeconds - last.usage.cpuSeconds) / (seconds - last.seconds)
            samples.append(.init(seconds: seconds, cores: cores, residentBytes: usage.residentBytes))
        }
        last = (usage, seconds)
    }

    /// Returns the resources that were used for `answers` answers in `seconds`.
    func usage(answers: UInt64, seconds: Double) -> RunResult.ProcessUsage {
        let cpuSeconds = (last?.usage.cpuSeconds ?? 0) - (first?.cpuSeconds ?? 0)
        let isAnswering = watched.name != RunResult.ProcessUsage.simulator
        return RunResult.ProcessUsage(
            name: watched.name,
            cpuSeconds: cpuSeconds,
            cores: cpuSeconds / max(seconds, 0.001),
            answersPerCPUSecond: isAnswering && cpuSeconds > 0 ? Double(answers) / cpuSeconds : nil,
            peakResidentBytes: peak,
            samples: samples
        )
    }
}
