import CarillonCommandLine

/// The warnings about the reliability of a result.
enum ResultNotes {
    /// Returns all warnings; `hasOneClock` is true if the load tool and the simulator read the same clock.
    static func all(on result: RunResult, wasInterrupted: Bool, hasOneClock: Bool, isLocal: Bool) -> [String] {
        var notes = ofBuild(result)
        if wasInterrupted {
            notes.append("The run was interrupted; the results cover \(UnitFormat.seconds(result.seconds)).")
        }
        if result.settings.rate != nil, !result.isRateHeld {
            notes.append(
                "The rate was not held: \(result.duePerSecond.short) requests/s were due, "
                    + "\(result.throughput.short)/s were answered.")
        }
        let unanswered = result.operations.reduce(0) { $0 + $1.errors[LoadCounts.unanswered, default: 0] }
        if unanswered > 0 {
            notes.append(
                "\(unanswered.grouped) requests were not answered by the end; they are in the latencies with the time "
                    + "that they had waited, which is too low.")
        }
        if result.connectionsLost > 0 { notes.append("Connections ended \(result.connectionsLost.grouped) times.") }
        notes += ofTool(result) + ofPushes(result, hasOneClock: hasOneClock)
        if isLocal { notes.append("Server and load tool were on one machine and shared its processor.") }
        if result.machine.loadBefore > 0.5 {
            let load = result.machine.loadBefore.short
            notes.append("The machine was not idle before the run: load average \(load).")
        }
        if let kind = result.settings.fileSystem, FileSystem.memory.contains(kind) {
            notes.append("The database was in memory: the results do not contain the cost of durability on a disk.")
        }
        return notes
    }

    /// Returns the warning about debug builds.
    private static func ofBuild(_ result: RunResult) -> [String] {
        let programs =
            switch (result.build, result.serverBuild) {
            case (.debug, .debug): "Server and load tool are debug builds"
            case (.debug, .release): "The load tool is a debug build, the server is not"
            case (.debug, nil): "The load tool is a debug build, the server may be one"
            case (.release, .debug): "The server is a debug build"
            case (.release, _): ""
            }
        guard !programs.isEmpty else { return [] }
        return ["\(programs): results say little about release builds (swift build -c release)."]
    }

    /// Returns the warnings about the load tool as the bottleneck.
    static func ofTool(_ result: RunResult) -> [String] {
        var notes: [String] = []
        if let tool = result.usage(of: RunResult.ProcessUsage.tool) {
            let cores = tool.cpuSeconds / max(result.seconds, 0.001)
            if cores > 0.9 * Double(result.settings.threads) {
                notes.append(
                    "The load tool was busy all the time (\(cores.short) cores): it may be the bottleneck. "
                        + "Use --threads."
                )
            }
        }
        let delay = result.writeDelay.percentile(99)
        if delay > 1_000_000 {
            notes.append(
                "The load tool wrote 1 % of the requests more than \(UnitFormat.time(delay)) late because of itself or "
                    + "the machine; that is part of their latency.")
        }
        return notes
    }

    /// Returns the warnings about the latencies to the device.
    private static func ofPushes(_ result: RunResult, hasOneClock: Bool) -> [String] {
        let sends = result.operations.compactMap(\.toDevice)
        guard !sends.isEmpty else { return [] }
        var notes: [String] = []
        let (addressed, arrived) = sends.reduce(into: (UInt64(0), UInt64(0))) { sum, part in
            sum.0 += part.addressed
            sum.1 += part.arrived
        }
        if arrived + result.arrivalsLost < addressed {
            let missing = addressed - arrived - result.arrivalsLost
            notes.append("Of \(addressed.grouped) pushes \(missing.grouped) had not arrived by the end.")
        }
        if result.arrivalsLost > 0 {
            notes.append(
                "\(result.arrivalsLost.grouped) pushes arrived too fast to be measured; they only count as arrived.")
        }
        if !hasOneClock {
            notes.append(
                "Simulator and load tool are on two machines: the difference of their clocks is in the end-to-end "
                    + "latency."
            )
        }
        return notes
    }
}
