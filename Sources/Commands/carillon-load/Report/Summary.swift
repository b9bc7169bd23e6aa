import CarillonCommandLine

/// The text of a result.
enum Summary {
    static func text(of result: RunResult) -> String {
        var parts = [
            describe(result.settings, seconds: result.seconds) + "\n" + describeServer(result.settings),
            Table.text(operations(result)),
        ]
        let errors = result.operations.flatMap { operation in
            operation.errors.sorted { $0.value > $1.value }.map {
                [operation.operation.name, $0.key, $0.value.grouped]
            }
        }
        if !errors.isEmpty { parts.append(Table.text([["failed", "", ""]] + errors)) }
        let usage = usageRows(result)
        if !usage.isEmpty { parts.append(Table.text([["", "CPU", "cores", "answers/CPU-s", "memory"]] + usage)) }
        if !result.notes.isEmpty { parts.append(result.notes.map { "* " + $0 }.joined(separator: "\n")) }
        return parts.joined(separator: "\n\n")
    }

    /// Returns the settings of the load, in one line.
    static func describe(_ settings: RunResult.Settings, seconds: Double) -> String {
        let loop =
            settings.rate.map { "open loop, \($0.short) requests/s (\(settings.arrivals.rawValue))" }
            ?? "closed loop, \(settings.connections) × \(settings.maximumInFlight) requests in flight"
        return loop + ", \(UnitFormat.seconds(seconds)) after \(UnitFormat.seconds(settings.warmUpSeconds)) of warm-up"
    }

    static func describeServer(_ settings: RunResult.Settings) -> String {
        let server = settings.isOwnServer ? "a server of its own" : settings.server
        return "\(server) (\(settings.serverSoftware)), \(settings.devices.grouped) devices, "
            + "keys \(settings.keyDistribution), seed \(settings.seed)"
    }

    private static func operations(_ result: RunResult) -> [[String]] {
        var rows = [["", "answered", "/s", "failed", "mean", "p50", "p90", "p99", "p99.9", "max"]]
        for operation in result.operations {
            rows.append(
                [
                    operation.operation.name, operation.answered.grouped, operation.answeredPerSecond.short,
                    operation.failed.grouped,
                ] + operation.latency.columns)
        }
        if result.operations.count > 1 {
            rows.append(
                ["all", result.answered.grouped, result.throughput.short, result.failed.grouped]
                    + result.latency.columns
            )
        }
        for operation in result.operations {
            guard let pushes = operation.toDevice, pushes.addressed > 0 else { continue }
            rows.append(
                [
                    "\(operation.operation.name) → device", pushes.arrived.grouped, pushes.arrivedPerSecond.short,
                    pushes.missing.grouped,
                ] + pushes.latency.columns)
        }
        return rows
    }

    private static func usageRows(_ result: RunResult) -> [[String]] {
        result.usage.map { usage in
            [
                usage.name, "\(usage.cpuSeconds.short) s", usage.cores.short, usage.answersPerCPUSecond?.short ?? "–",
                UnitFormat.bytes(usage.peakResidentBytes),
            ]
        }
    }
}

extension LatencyHistogram {
    /// The columns of a table of latencies: mean, p50, p90, p99, p99.9 and the maximum; dashes if there are no values.
    var columns: [String] {
        guard count > 0 else { return Array(repeating: "–", count: 6) }
        return [UnitFormat.time(mean)] + percentiles([50, 90, 99, 99.9]).map { UnitFormat.time($0) }
            + [UnitFormat.time(maximum)]
    }
}
