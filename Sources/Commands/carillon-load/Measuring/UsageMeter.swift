/// A meter of the resources that a process uses between the first and the last sample.
struct UsageMeter {
    private let process: LoadRunner.WatchedProcess
    private var first: ProcessUsage?
    private var last: (usage: ProcessUsage, seconds: Double)?
    private var peakResidentBytes: UInt64 = 0
    private var samples: [RunResult.Sample] = []

    init(_ process: LoadRunner.WatchedProcess) {
        self.process = process
    }

    /// Takes a sample. `seconds` counts from the start of the measured time.
    mutating func sample(at seconds: Double) {
        guard let usage = ProcessUsage(processID: process.processID) else { return }
        if first == nil { first = usage }
        peakResidentBytes = max(peakResidentBytes, usage.residentBytes)
        if let last, seconds > last.seconds {
            let cores = (usage.cpuSeconds - last.usage.cpuSeconds) / (seconds - last.seconds)
            samples.append(.init(seconds: seconds, cores: cores, residentBytes: usage.residentBytes))
        }
        last = (usage, seconds)
    }

    /// Returns the resources that were used for `answers` answers in `seconds`.
    func usage(answers: UInt64, seconds: Double) -> RunResult.ProcessUsage {
        let cpuSeconds = (last?.usage.cpuSeconds ?? 0) - (first?.cpuSeconds ?? 0)
        let isAnswering = process.name != RunResult.ProcessUsage.simulator
        return RunResult.ProcessUsage(
            name: process.name,
            cpuSeconds: cpuSeconds,
            cores: cpuSeconds / max(seconds, 0.001),
            answersPerCPUSecond: isAnswering && cpuSeconds > 0 ? Double(answers) / cpuSeconds : nil,
            peakResidentBytes: peakResidentBytes,
            samples: samples
        )
    }
}
