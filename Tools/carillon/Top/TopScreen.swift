import CarillonCommandLine
import CarillonCore

/// The screen of `carillon top` as lines for a terminal of some size.
struct TopScreen {
    /// A line and its style.
    struct Line: Equatable {
        var text: String
        var style = ANSIStyle.Style.plain
    }

    /// The latest sample.
    var statistics: ServerStatistics
    /// The rates since the sample before; nil after the first sample.
    var rates: StatisticsRates?
    /// The failures, the latest first.
    var failures: [Event] = []
    /// The reason why failures cannot be shown; nil if they can.
    var failureNote: String?
    /// The address of the server, as the user gave it.
    var serverName = ""
    /// The reason why the sample is old; nil if it is fresh.
    var staleReason: String?

    /// The most rows of messages, and of failures, if the height is not limited.
    private static let allRows = 64
    /// The fewest rows of each of these lists, if the terminal is very small.
    private static let leastRows = 2

    /// The lines, no wider than `columns`, and at most `rows`; nil for any number.
    func lines(columns: Int, rows: Int? = nil) -> [Line] {
        var lines = [head(columns)]
        if let staleReason { lines.append(Line(text: staleReason, style: .bad)) }
        lines += totals
        lines += section(lanes, columns)
        lines += section(pools, columns) { index in style(of: statistics.pools[index]) }
        // The remaining rows go to the lists that may be long: half to messages, half to failures, then to the apps.
        let room = rows.map { max(2 * (Self.leastRows + 2), $0 - lines.count) }
        let messages = section(self.messages(room.map { $0 / 2 - 2 } ?? Self.allRows), columns)
        lines += messages
        let failures = failureLines(room.map { max(Self.leastRows, $0 - messages.count - 2) } ?? Self.allRows)
        lines += failures
        if rows == nil || lines.count + (statistics.registryCounts?.apps.count ?? 0) + 2 <= rows ?? 0 {
            lines += section(apps, columns)
        }
        let fitted = lines.map { Line(text: $0.text.fitted(to: columns), style: $0.style) }
        return rows.map { Array(fitted.prefix($0)) } ?? fitted
    }

    // MARK: Totals

    private func head(_ columns: Int) -> Line {
        let length = Timestamp.length(statistics.at.milliseconds(since: statistics.startedAt))
        let left = "\(statistics.software)  up \(length)  \(serverName)"
        let time = statistics.at.utc
        let room = columns - time.columns
        return Line(text: left.columns < room ? left.left(room) + time : left, style: .heading)
    }

    private var totals: [Line] {
        let commits = statistics.commits
        var requests = ["\(statistics.clients) connected"]
        var devices = [Int(clamping: statistics.outcomes.values.reduce(0, &+)).grouped + " ended"]
        var writes = [String]()
        if let rates {
            requests += ["\(rates.requests.short)/s", "\(rates.refused.short)/s refused"]
            if let time = rates.requestMicroseconds { requests.append(Self.time(time)) }
            devices =
                [
                    "\(rates.ended.short)/s", "\(rates.delivered.short)/s delivered",
                    "\((rates.ended - rates.delivered).short)/s failed",
                ] + devices
            writes += ["\(rates.commits.short)/s", "\(rates.changes.short) changes/s"]
        } else {
            requests.append("\(Int(clamping: statistics.answered).grouped) requests")
        }
        if let median = commits.median, let longest = commits.latest.max() {
            writes.append("\(Self.time(Double(median))) typical, \(Self.time(Double(longest))) at worst")
        }
        writes.append("\(Int(commits.waiting).grouped) changes wait")
        let failing = rates.map { $0.ended > $0.delivered } ?? false
        return [
            Line(text: "clients     " + requests.joined(separator: "  ")),
            Line(text: "deliveries  " + devices.joined(separator: "  "), style: failing ? .warning : .plain),
            Line(text: "commits     " + writes.joined(separator: "  ")),
            database,
        ]
    }

    private var database: Line {
        guard let database = statistics.database else {
            return Line(text: "database    cannot be read", style: .bad)
        }
        var parts = [
            "\(database.bytes.size) of \(database.limitBytes.size)", "\(database.freeBytes.size) free in it",
            "\(database.readers) read",
        ]
        if database.readers > 0 { parts.append("the oldest \(Int(clamping: database.readerAge).grouped) commits ago") }
        parts.append("\(Int(clamping: database.scheduled).grouped) scheduled")
        let isNearlyFull = database.limitBytes > 0 && database.bytes - database.freeBytes > database.limitBytes / 10 * 9
        return Line(text: "database    " + parts.joined(separator: "  "), style: isNearlyFull ? .warning : .plain)
    }

    private static func time(_ microseconds: Double) -> String {
        microseconds < 1_000 ? "\(Int(microseconds)) µs" : "\((microseconds / 1_000).short) ms"
    }

    // MARK: Tables

    private func section(
        _ table: TextTable, _ columns: Int, style: (Int) -> ANSIStyle.Style = { _ in .plain }
    ) -> [Line] {
        let lines = table.lines(width: columns)
        guard lines.count > 1 else { return [] }
        return [Line(text: ""), Line(text: lines[0], style: .heading)]
            + lines.dropFirst().enumerated().map { Line(text: $1, style: style($0)) }
    }

    private var lanes: TextTable {
        var table = TextTable([
            ("LANE", .left), ("MESSAGES", .right), ("WAITING", .right), ("LATER", .right), ("IN FLIGHT", .right),
            ("", .note),
        ])
        for (index, lane) in statistics.lanes.enumerated() {
            let counts = [lane.messages, lane.waiting, lane.delayed, lane.inFlight].map { Int($0).grouped }
            let note = index == 0 ? "\(Int(statistics.unrecorded).grouped) sent and not on disk" : ""
            table.add([String(describing: lane.lane)] + counts + [note])
        }
        return table
    }

    private var pools: TextTable {
        var table = TextTable([
            ("APNS", .left), ("OPEN", .right), ("MORE", .right), ("IN FLIGHT", .right), ("OF", .right),
            ("SENT/s", .right), ("ANSWERS", .note),
        ])
        for (index, pool) in statistics.pools.enumerated() {
            let more = [pool.opening > 0 ? "+\(pool.opening)" : "", pool.draining > 0 ? "-\(pool.draining)" : ""]
            let answers = pool.answers.prefix(4).map {
                "\($0.status == 0 ? "others" : "\($0.status)")\($0.reason.isEmpty ? "" : " \($0.reason)")"
                    + " \(Int(clamping: $0.count).grouped)"
            }
            let throttle = pool.throttle.map { ["busy: \(Int($0).grouped)/s at most"] } ?? []
            let notes = (pool.isStopped ? ["CREDENTIAL REFUSED"] : []) + throttle + answers
            table.add([
                "\(pool.credential) \(pool.environment.name)", "\(pool.open)", more.joined(),
                Int(pool.inFlight).grouped,
                Int(pool.streams).grouped,
                rates.map { index < $0.attempts.count ? $0.attempts[index].short : "" } ?? "",
                notes.joined(separator: ", "),
            ])
        }
        return table
    }

    private func style(of pool: ServerStatistics.Pool) -> ANSIStyle.Style {
        pool.isStopped ? .bad : pool.throttle != nil ? .warning : .plain
    }

    private func messages(_ limit: Int) -> TextTable {
        var table = TextTable([
            ("MESSAGE", .right), ("APP", .left), ("LANE", .left), ("DONE", .note), ("ENDED", .right), ("OF", .right),
            ("PER s", .right), ("LEFT", .right),
        ])
        for message in statistics.sending.prefix(max(Self.leastRows, limit)) {
            let left = message.total - min(message.total, message.ended)
            table.add([
                "\(message.id)", message.app.name, String(describing: message.lane),
                Self.bar(message.ended, of: message.total), Int(clamping: message.ended).grouped,
                Int(clamping: message.total).grouped, Int(message.rate).grouped,
                message.rate > 0 ? Timestamp.length(left / UInt64(message.rate) * 1_000) : "",
            ])
        }
        return table
    }

    private static func bar(_ done: UInt64, of total: UInt64) -> String {
        let full = total > 0 ? Int(Double(min(done, total)) / Double(total) * 8) : 0
        return String(repeating: "█", count: full) + String(repeating: "░", count: 8 - full)
    }

    private var apps: TextTable {
        var table = TextTable([
            ("APP", .left), ("DEVICES", .right), ("QUARANTINED", .right), ("GROUPS", .right), ("TOPICS", .right),
        ])
        for app in statistics.registryCounts?.apps ?? [] {
            table.add(
                [app.app.name]
                    + [app.devices, app.quarantined, app.groups, app.topics].map { Int(clamping: $0).grouped })
        }
        return table
    }

    private func failureLines(_ limit: Int) -> [Line] {
        if let failureNote {
            return [Line(text: ""), Line(text: "failures cannot be shown: \(failureNote)", style: .faint)]
        }
        guard !failures.isEmpty else { return [] }
        return [Line(text: ""), Line(text: "LATEST FAILURES", style: .heading)]
            + failures.prefix(limit).map { event in
                Line(text: Self.line(event), style: event.kind == .deliveryFailed ? .plain : .bad)
            }
    }

    private static func line(_ event: Event) -> String {
        let parts: [String?] = [
            // Only the time of day.
            String(event.at.utc.dropFirst(11).prefix(8)),
            event.kind == .deliveryFailed ? nil : event.kind.description, event.outcome?.name,
            event.message.map { "message \($0)" }, event.device.map { "device \($0)" },
            event.count.map { Int(clamping: $0).devices }, event.text, event.app?.name,
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }
}

extension ServerStatistics.Commits {
    /// The median of the latest durations, in microseconds.
    fileprivate var median: UInt32? {
        latest.isEmpty ? nil : latest.sorted()[latest.count / 2]
    }
}

extension Double {
    /// A rate as text: with one decimal while it is below 10.
    fileprivate var short: String {
        let tenths = Int((self * 10).rounded())
        return self < 10 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)" : Int(rounded()).grouped
    }
}

extension UInt64 {
    /// A number of bytes in its largest unit.
    var size: String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var (value, unit) = (Double(self), 0)
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        return "\(value.short) \(units[unit])"
    }
}
