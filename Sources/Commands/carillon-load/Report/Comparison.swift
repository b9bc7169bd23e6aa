import CarillonCommandLine

/// The comparison of two runs, line by line.
struct Comparison {
    /// A value of both runs; nil for a run that lacks it.
    struct Row: Equatable {
        enum BetterDirection {
            case more
            case less
        }

        var name: String
        var before: Double?
        var after: Double?
        var better: BetterDirection
        var text: (Double) -> String

        /// The value after, divided by the value before; nil if it is not defined.
        var ratio: Double? {
            guard let before, let after, before > 0 else { return nil }
            return after / before
        }

        /// True if the value improved by more than 10 %; nil for a smaller change, which is mostly noise.
        var isBetter: Bool? {
            guard let ratio, ratio > 1.1 || ratio < 1 / 1.1 else { return nil }
            return (ratio > 1) == (better == .more)
        }

        static func == (one: Row, other: Row) -> Bool {
            (one.name, one.before, one.after, one.better) == (other.name, other.before, other.after, other.better)
        }
    }

    let before: RunResult
    let after: RunResult

    /// The rows of the whole run, then of each operation that at least one run has.
    var sections: [(name: String, rows: [Row])] {
        var sections = [("all", totalRows)]
        for operation in LoadOperation.allCases {
            let both = [before, after].map { run in run.operations.first { $0.operation == operation } }
            guard both.contains(where: { $0 != nil }) else { continue }
            sections.append((operation.name, rows(of: operation, both[0], both[1])))
        }
        return sections
    }

    private var totalRows: [Row] {
        let servers = [before, after].map { $0.usage(of: RunResult.ProcessUsage.server) }
        let perCPU = servers.map { $0?.answersPerCPUSecond }
        let memory = servers.map { $0.map { Double($0.peakResidentBytes) } }
        return [
            Row(
                name: "answered per second", before: before.throughput, after: after.throughput, better: .more
            ) { $0.short },
            Row(
                name: "failed", before: Double(before.failed), after: Double(after.failed), better: .less
            ) { UInt64($0).grouped },
            Row(name: "answers per CPU-second of the server", before: perCPU[0], after: perCPU[1], better: .more) {
                $0.short
            },
            Row(name: "memory of the server at most", before: memory[0], after: memory[1], better: .less) {
                UnitFormat.bytes(UInt64($0))
            },
        ] + latencies("", before: before.latency, after: after.latency)
    }

    private func rows(
        of operation: LoadOperation,
        _ before: RunResult.Operation?,
        _ after: RunResult.Operation?
    ) -> [Row] {
        latencies("", before: before?.latency, after: after?.latency)
            + latencies("to the device, ", before: before?.toDevice?.latency, after: after?.toDevice?.latency)
    }

    private func latencies(_ prefix: String, before: LatencyHistogram?, after: LatencyHistogram?) -> [Row] {
        let both = [before, after].map { $0.flatMap { $0.count > 0 ? $0 : nil } }
        guard both.contains(where: { $0 != nil }) else { return [] }
        return [50, 90, 99, 99.9].map { percent in
            let values = both.map { $0.map { Double($0.percentile(percent)) } }
            return Row(
                name: prefix + "p" + percent.tick, before: values[0], after: values[1], better: .less
            ) { UnitFormat.time($0) }
        }
    }

    /// The settings in which the runs differ. They make the ratios less meaningful.
    var differences: [(name: String, before: String, after: String)] {
        let sides = [before, after].map { RunPage.settings(of: $0) }
        let added = sides[1].filter { row in !sides[0].contains { $0.name == row.name } }
        let names = (sides[0] + added).map(\.name)
        return names.compactMap { name in
            let values = sides.map { rows in rows.first { $0.name == name }?.value ?? "–" }
            return values[0] == values[1] ? nil : (name, values[0], values[1])
        }
    }

    var text: String {
        var rows = [["", "A", "B", "B / A"]]
        for (name, section) in sections {
            rows.append([name, "", "", ""])
            rows += section.map { ["  " + $0.name, $0.beforeText, $0.afterText, $0.ratioText] }
        }
        var text = "A  \(title(before))\nB  \(title(after))\n\n" + Table.text(rows)
        if !differences.isEmpty {
            text +=
                "\n\ndifferent settings\n"
                + differences.map { "  \($0.name): \($0.before) → \($0.after)" }.joined(separator: "\n")
        }
        if !notes.isEmpty { text += "\n\n" + notes.map { "* " + $0 }.joined(separator: "\n") }
        return text
    }

    /// The warnings about the reliability of the results.
    var notes: [String] { before.notes.map { "A: " + $0 } + after.notes.map { "B: " + $0 } }

    func title(_ run: RunResult) -> String { "\(run.settings.title), \(run.startedAt)" }
}

extension Comparison.Row {
    var beforeText: String { before.map(text) ?? "–" }
    var afterText: String { after.map(text) ?? "–" }
    var ratioText: String { ratio.map { $0.short } ?? "–" }
}
