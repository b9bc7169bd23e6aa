import CarillonCommandLine
import CarillonCore

/// The screen of `carillon top` as lines for a terminal of some size.
struct TopScreen {
    struct Line: Equatable {
        var text: String
        var style = TerminalColors.Style.plain
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
    /// The history of the deliveries a second.
    var history = RateHistory()
    var view = TopView()

    /// The maximum number of rows of messages, and of failures, if the height is not limited.
    private static let maximumRows = 64
    /// The fewest rows of each of these lists, if the terminal is very small.
    private static let minimumRows = 2
    /// The fewest columns with which a screen shows more of each message.
    private static let minimumWideColumns = 140
    /// The fewest columns with which a screen shows the devices of each provider.
    private static let minimumProviderColumns = 100
    /// The fewest rows with which a screen has the line of the keys.
    private static let minimumRowsWithKeys = 20

    /// Returns the lines of a live screen: the result of `lines`, or the help, and then the keys.
    func livePage(columns: Int, rows: Int) -> [Line] {
        if view.showsHelp {
            let help = TopView.help.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            return help.prefix(rows).map { Line(text: $0.fitted(to: columns)) }
        }
        guard rows >= Self.minimumRowsWithKeys else { return lines(columns: columns, rows: rows) }
        var page = lines(columns: columns, rows: rows - 1)
        page += Array(repeating: Line(text: ""), count: rows - 1 - page.count)
        let paused = view.isPaused ? "paused    " : ""
        return page + [Line(text: (paused + view.keys).fitted(to: columns), style: .faint)]
    }

    /// Returns the lines, no wider than `columns`, and at most `rows`; nil for any number.
    func lines(columns: Int, rows: Int? = nil) -> [Line] {
        var lines = [head(columns)]
        if let staleReason { lines.append(Line(text: staleReason, style: .bad)) }
        lines += totals
        lines += historyLines(columns)
        lines += section(lanes, columns: columns)
        lines += section(pools, columns: columns) { index in style(of: statistics.pools[index]) }
        if let cluster = statistics.cluster {
            lines += section(cluster.table(asked: nil), columns: columns) {
                cluster.nodes[$0].state == "live" ? .plain : .warning
            }
        }
        // The remaining rows go to the lists that may be long: half to messages, half to failures, then to the apps.
        let room = rows.map { max(2 * (Self.minimumRows + 2), $0 - lines.count) }
        let messages = section(
            self.messages(limit: room.map { $0 / 2 - 2 } ?? Self.maximumRows, columns: columns), columns: columns)
        lines += messages
        let failures = failureLines(room.map { max(Self.minimumRows, $0 - messages.count - 2) } ?? Self.maximumRows)
        lines += failures
        if rows == nil || lines.count + (statistics.registryCounts?.apps.count ?? 0) + 2 <= rows ?? 0 {
            lines += section(apps(columns), columns: columns)
        }
        let fitted = lines.map { Line(text: $0.text.fitted(to: columns), style: $0.style) }
        return rows.map { Array(fitted.prefix($0)) } ?? fitted
    }

    // MARK: Totals

    private func head(_ columns: Int) -> Line {
        let length = TimeSpan(milliseconds: statistics.at.milliseconds(since: statistics.startedAt)).text
        let left = "\(statistics.software)  up \(length)  \(serverName)"
        let time = statistics.at.utcText
        let room = columns - time.columns
        return Line(text: left.columns < room ? left.leftAligned(in: room) + time : left, style: .heading)
    }

    private var totals: [Line] {
        let batches = statistics.batches
        var requests = ["\(statistics.clients) connected"]
        var devices = [Int(clamping: statistics.outcomes.values.reduce(0, &+)).grouped + " ended"]
        var writes = [String]()
        if let rates {
            requests += ["\(rates.requests.shortText)/s", "\(rates.refused.shortText)/s refused"]
            if let time = rates.requestMicroseconds { requests.append(Self.time(time)) }
            devices =
                [
                    "\(rates.ended.shortText)/s", "\(rates.delivered.shortText)/s delivered",
                    "\((rates.ended - rates.delivered).shortText)/s failed",
                ] + devices
            writes += ["\(rates.batches.shortText)/s", "\(rates.changes.shortText) changes/s"]
        } else {
            requests.append("\(Int(clamping: statistics.answeredCount).grouped) requests")
        }
        if let median = batches.median, let longest = batches.latest.max() {
            writes.append("\(Self.time(Double(median))) typical, \(Self.time(Double(longest))) at worst")
        }
        writes.append("\(Int(batches.waiting).grouped) changes wait")
        let failing = rates.map { $0.ended > $0.delivered } ?? false
        return [
            Line(text: "clients     " + requests.joined(separator: "  ")),
            Line(text: "deliveries  " + devices.joined(separator: "  "), style: failing ? .warning : .plain),
            Line(text: "batches     " + writes.joined(separator: "  ")),
            database,
        ]
    }

    private var database: Line {
        guard let database = statistics.database else {
            return Line(text: "database    cannot be read", style: .bad)
        }
        var parts = [
            "\(database.bytes.byteText) of \(database.limitBytes.byteText)",
            "\(database.freeBytes.byteText) free in it",
            "\(database.readers) read",
        ]
        if database.readers > 0 {
            parts.append("the oldest \(Int(clamping: database.readerAgeCommits).grouped) commits ago")
        }
        parts.append("\(Int(clamping: database.scheduled).grouped) scheduled")
        let isNearlyFull = database.limitBytes > 0 && database.bytes - database.freeBytes > database.limitBytes / 10 * 9
        return Line(text: "database    " + parts.joined(separator: "  "), style: isNearlyFull ? .warning : .plain)
    }

    /// Returns the lines of the deliveries a second over time; none before there is more than one rate.
    private func historyLines(_ columns: Int) -> [Line] {
        guard history.rates.count > 1 else { return [] }
        let title = "history     "
        let highest = "  \(history.highest.shortText)/s at most"
        return [Line(text: title + history.line(columns: columns - title.columns - highest.columns) + highest)]
    }

    private static func time(_ microseconds: Double) -> String {
        microseconds < 1_000 ? "\(Int(microseconds)) µs" : "\((microseconds / 1_000).shortText) ms"
    }

    // MARK: Tables

    private func section(
        _ table: TextTable, columns: Int, style: (Int) -> TerminalColors.Style = { _ in .plain }
    ) -> [Line] {
        let lines = table.lines(width: columns)
        guard lines.count > 1 else { return [] }
        return [Line(text: ""), Line(text: lines[0], style: .heading)]
            + lines.dropFirst().enumerated().map { Line(text: $1, style: style($0)) }
    }

    private var lanes: TextTable {
        var table = TextTable([
            ("LANE", .name), ("MESSAGES", .number), ("WAITING", .number), ("LATER", .number), ("IN FLIGHT", .number),
            ("LEFT", .number), ("", .note),
        ])
        for (index, lane) in statistics.lanes.enumerated() {
            let counts = [lane.messages, lane.waiting, lane.delayed, lane.inFlight].map { Int($0).grouped }
            let note = index == 0 ? "\(Int(statistics.unrecorded).grouped) sent and not on disk" : storedNote
            table.add([String(describing: lane.lane)] + counts + [left(in: lane), note])
        }
        return table
    }

    /// The note about the messages that are to be sent now and are not in memory; empty without such messages.
    private var storedNote: String {
        let inMemory = statistics.lanes.reduce(0) { $0 &+ UInt64($1.messages) }
        guard let unfinished = statistics.database?.unfinished, unfinished > inMemory else { return "" }
        let left = Int(clamping: unfinished - inMemory)
        return "\(left.grouped) more message\(left == 1 ? "" : "s") on disk"
    }

    /// Returns the number of devices of a lane's messages that have no outcome, also on disk; with a plus sign if the
    /// server has not listed every message.
    private func left(in lane: ServerStatistics.LaneLoad) -> String {
        let listed = statistics.sending.filter { $0.lane == lane.lane }
        let left = listed.reduce(0) { $0 &+ $1.remainingCount }
        let isComplete =
            listed.count >= Int(lane.messages)
            && UInt64(statistics.sending.count) >= (statistics.database?.unfinished ?? 0)
        return Int(clamping: left).grouped + (isComplete ? "" : "+")
    }

    private var pools: TextTable {
        var table = TextTable([
            ("POOL", .name), ("OPEN", .number), ("MORE", .number), ("IN FLIGHT", .number), ("OF", .number),
            ("SENT/s", .number), ("FAILED", .number), ("ANSWERS", .note),
        ])
        for (index, pool) in statistics.pools.enumerated() {
            let more = [pool.opening > 0 ? "+\(pool.opening)" : "", pool.draining > 0 ? "-\(pool.draining)" : ""]
            let answers = pool.answers.prefix(4).map {
                "\($0.status == 0 ? "others" : "\($0.status)")\($0.reason.isEmpty ? "" : " \($0.reason)")"
                    + " \(Int(clamping: $0.count).grouped)"
            }
            let throttle = pool.throttle.map { ["busy: \(Int($0).grouped)/s at most"] } ?? []
            let notes = (pool.isParked ? ["CREDENTIAL REFUSED"] : []) + fault(of: pool) + throttle + answers
            table.add([
                "\(pool.credential) \(pool.environment.name)", "\(pool.open)", more.joined(),
                Int(pool.inFlight).grouped,
                Int(pool.streams).grouped,
                rates.map { index < $0.attempts.count ? $0.attempts[index].shortText : "" } ?? "",
                pool.failures > 0 ? Int(clamping: pool.failures).grouped : "",
                notes.joined(separator: ", "),
            ])
        }
        return table
    }

    /// Returns the fault of a pool, in cells: that it is unreachable, and the last failure; empty while it has a
    /// connection.
    private func fault(of pool: ServerStatistics.Pool) -> [String] {
        let again = pool.outage?.nextAttemptAt.map { ", next attempt \($0.relative(to: statistics.at))" } ?? ""
        let reason = pool.lastFailure.map { "\($0.reason), \($0.at.relative(to: statistics.at))\(again)" }
        if pool.isUnreachable { return ["UNREACHABLE"] + (reason.map { [$0] } ?? []) }
        return pool.open == 0 ? reason.map { [$0] } ?? [] : []
    }

    private func style(of pool: ServerStatistics.Pool) -> TerminalColors.Style {
        pool.isParked || pool.isUnreachable ? .bad : pool.throttle != nil ? .warning : .plain
    }

    private func messages(limit: Int, columns: Int) -> TextTable {
        let isWide = columns >= Self.minimumWideColumns
        var table = TextTable(
            [
                ("MESSAGE", .number), ("APP", .name), ("LANE", .name), ("DONE", .note), ("ENDED", .number),
                ("OF", .number), ("PER s", .number), ("LEFT", .number),
            ] + (isWide ? [("IN FLIGHT", .number), ("ACCEPTED", .name)] : []))
        let cells = min(60, max(8, (columns - 90) / 2))
        for message in view.order.sorted(statistics.sending).prefix(max(Self.minimumRows, limit)) {
            table.add(
                [
                    "\(message.id)", message.app.name, String(describing: message.lane),
                    Self.bar(message.ended, of: message.total, cells: cells), Int(clamping: message.ended).grouped,
                    Int(clamping: message.total).grouped, Int(message.rate).grouped,
                    Self.remainingTime(message),
                ]
                    + (isWide
                        ? [Int(message.inFlight).grouped, message.acceptedAt.relative(to: statistics.at)] : []))
        }
        return table
    }

    private static func remainingTime(_ message: ServerStatistics.SendingMessage) -> String {
        guard message.rate > 0 else { return "" }
        let (milliseconds, isTooLong) = (message.remainingCount / UInt64(message.rate)).multipliedReportingOverflow(
            by: 1_000)
        return isTooLong ? "" : TimeSpan(milliseconds: milliseconds).text
    }

    /// Draws a bar of cells; the last one may be full in part.
    private static func bar(_ done: UInt64, of total: UInt64, cells: Int) -> String {
        let eighths = total > 0 ? Int(Double(min(done, total)) / Double(total) * Double(cells * 8)) : 0
        let part = eighths % 8 == 0 ? "" : String(Array("▏▎▍▌▋▊▉")[eighths % 8 - 1])
        let full = String(repeating: "█", count: eighths / 8) + part
        return full + String(repeating: "░", count: cells - full.count)
    }

    private func apps(_ columns: Int) -> TextTable {
        let apps = statistics.registryCounts?.apps ?? []
        // A server of an earlier version does not say it.
        let isByProvider = columns >= Self.minimumProviderColumns && apps.contains { $0.devicesByProvider != nil }
        let providers = isByProvider ? Provider.allCases : []
        var table = TextTable(
            [("APP", .name), ("DEVICES", .number)] + providers.map { ($0.name.uppercased(), .number) }
                + [("QUARANTINED", .number), ("GROUPS", .number), ("TOPICS", .number)])
        for app in apps {
            let counts =
                [app.devices] + providers.map { app.devicesByProvider?[$0] ?? 0 }
                + [app.quarantined, app.groups, app.topics]
            table.add([app.app.name] + counts.map { Int(clamping: $0).grouped })
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
            event.at.timeOfDay,
            event.kind == .deliveryFailed ? nil : event.kind.description, event.outcome?.name,
            event.message.map { "message \($0)" }, event.device.map { "device \($0)" },
            event.count.map { Int(clamping: $0).devices }, event.text, event.app?.name,
        ]
        return parts.compactMap(\.self).joined(separator: "  ")
    }
}

extension ServerStatistics.Batches {
    /// The median of the latest durations, in microseconds.
    fileprivate var median: UInt32? {
        latest.isEmpty ? nil : latest.sorted()[latest.count / 2]
    }
}

extension Double {
    /// A rate as text: with one decimal while it is below 10.
    fileprivate var shortText: String {
        // No rate is larger, but a server may send any counts.
        let value = min(self, 1e15)
        let tenths = Int((value * 10).rounded())
        return value < 10 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)" : Int(value.rounded()).grouped
    }
}

extension UInt64 {
    /// A number of bytes in its largest unit.
    var byteText: String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(self)
        var unit = 0
        while value >= 1_024, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        return "\(value.shortText) \(units[unit])"
    }
}
