import CarillonCommandLine
import CarillonCore
import CarillonRegistry

/// Formats the statistics of a database and a registry as JSON and as rows.
extension ServerStatistics.Database {
    /// The database as JSON. Its names are stable.
    var json: JSON {
        .members([
            "file_bytes": .number(bytes), "free_bytes": .number(freeBytes), "map_bytes": .number(mapBytes),
            "limit_bytes": .number(limitBytes), "readers": .number(UInt64(readers)),
            "reader_age_commits": .number(readerAgeCommits),
            "messages": .number(messages), "sendable": .number(unfinished), "scheduled": .number(scheduled),
        ])
    }

    var rows: [(name: String, value: String)] {
        func size(_ bytes: UInt64) -> String { StatsCommand.sizeText(Int(clamping: bytes)) }
        return [
            ("kept", Int(clamping: messages).messages), ("sendable", Int(clamping: unfinished).grouped),
            ("scheduled", Int(clamping: scheduled).grouped),
            ("file", "\(size(bytes)), \(size(freeBytes)) of it free"),
            ("map", "\(size(mapBytes)), \(size(limitBytes)) at most"),
            ("readers", "\(readers)"), ("reader age", "\(readerAgeCommits) commits"),
        ]
    }
}

extension RegistryStatistics.App {
    private var states: [(state: MessageState, count: UInt64)] {
        (messages ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    /// The app as JSON. Its names are stable.
    var json: JSON {
        .members([
            "app": .text(app.name), "devices": .number(devices),
            "devices_by_provider": devicesByProvider.map(JSON.counts), "quarantined": .number(quarantined),
            "groups": .number(groups), "topics": .number(topics),
            "largest_topics": .list(
                largestTopics.map { .members(["topic": .text($0.name), "devices": .number($0.devices)]) }),
            "messages": messages.map { _ in
                .object(states.map { .init(name: $0.state.name, value: .number($0.count)) })
            },
            "pending": messages.map { _ in .number(pending) },
        ])
    }

    var rows: [(name: String, value: String)] {
        let list = states.map { "\(Int(clamping: $0.count).grouped) \($0.state.name)" }.joined(separator: ", ")
        var rows = [("app", app.name), ("devices", Int(clamping: devices).grouped)]
        rows += Provider.allCases.compactMap { provider in
            guard let count = devicesByProvider?[provider], count > 0 else { return nil }
            return ("  " + provider.name, Int(clamping: count).devices)
        }
        rows += [
            ("quarantined", Int(clamping: quarantined).grouped), ("groups", Int(clamping: groups).grouped),
            ("topics", Int(clamping: topics).grouped),
        ]
        rows += largestTopics.map { ("  " + $0.name, Int(clamping: $0.devices).devices) }
        if messages != nil { rows.append(("messages", list.isEmpty ? "none" : list)) }
        if pending > 0 { rows.append(("pending", Int(clamping: pending).devices)) }
        return rows
    }
}

extension RegistryStatistics.Table {
    /// The table as JSON. Its names are stable.
    var json: JSON {
        .members(["table": .text(name), "rows": .number(UInt64(rows)), "pages": .number(UInt64(pages))])
    }
}

extension StorageStatistics {
    /// Returns the database as JSON. Its names are stable.
    func json(freePages: Int) -> JSON {
        .members([
            "file_bytes": .number(UInt64(bytes)), "page_bytes": .number(UInt64(pageBytes)),
            "pages": .number(UInt64(bytes / max(pageBytes, 1))), "free_pages": .number(UInt64(freePages)),
            "map_bytes": .number(UInt64(mapBytes)), "commits": .number(commits), "readers": .number(UInt64(readers)),
            "reader_age_commits": .number(readerAgeCommits),
        ])
    }
}

/// Formats numbers with their nouns.
extension Int {
    /// The number with the noun "device" or "devices".
    var devices: String { counted("device") }
    /// The number with the noun "message" or "messages".
    var messages: String { counted("message") }
    /// Returns the number with a noun whose plural ends with an s.
    func counted(_ name: String) -> String { "\(grouped) \(name)\(self == 1 ? "" : "s")" }
}
