import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Counts devices, groups, topics, messages and the pages of the database.",
        discussion: """
            Examples:
              carillon-dump stats --data /var/lib/carillon --largest 20
              carillon-dump stats --server push.internal:7474 --app com.example.game --json

            `reader age` counts the commits since the oldest read that goes on began: while it grows, the file may grow.
            """
    )

    @OptionGroup var apps: AppOptions

    @Option(help: ArgumentHelp("Names so many topics of each app, the largest first.", valueName: "count"))
    var largest = 10

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard (0...1_000).contains(largest) else { throw ValidationError("--largest is 0 to 1000.") }
    }

    func run() async throws {
        try await source.run { rowSource in
            if let stored = rowSource as? DirectoryRowSource { try show(stored.registry) }
            if let served = rowSource as? ServerRowSource { try await show(served.client, served) }
        }
    }

    // MARK: A data directory

    private func show(_ registry: LMDBRegistry) throws {
        var survey = try registry.survey(largest: largest)
        let storage = try registry.statistics()
        let freePages = try registry.freePages()
        if let app = apps.app {
            survey.apps.removeAll { $0.app != app }
            if survey.apps.isEmpty { throw Failure.refused("there is no app \(app)") }
        }
        guard !source.server.json else {
            return Terminal.say(
                JSON.members([
                    "apps": .list(survey.apps.map(\.json)), "database": storage.json(freePages: freePages),
                    "tables": .list(survey.tables.map(\.json)), "tombstones": .number(UInt64(survey.tombstones)),
                    "outbox": .number(UInt64(survey.rows("outbox"))),
                    "scheduled": .number(UInt64(survey.rows("schedule"))),
                    "last_message_id": .number(survey.lastMessage), "last_event": .number(survey.lastEvent),
                ]).line)
        }
        for app in survey.apps { Terminal.say(Terminal.table(app.rows) + "\n") }
        let pages = storage.bytes / max(storage.pageBytes, 1)
        Terminal.say(
            Terminal.table([
                ("outbox", survey.rows("outbox").grouped), ("scheduled", survey.rows("schedule").grouped),
                ("delayed", survey.rows("delays").grouped), ("tombstones", survey.tombstones.grouped),
                ("idempotency", survey.rows("idempotency").counted("key")),
                ("events", "\(survey.rows("events").grouped), the last is \(survey.lastEvent)"),
                ("last message", "\(survey.lastMessage)"),
                ("file", "\(Self.size(storage.bytes)), \(pages.grouped) pages, \(freePages.grouped) of them free"),
                ("map", "\(Self.size(storage.mapBytes)), \(Self.share(storage.bytes, of: storage.mapBytes)) used"),
                ("commits", Int(clamping: storage.commits).grouped),
                ("readers", "\(storage.readers)"), ("reader age", "\(storage.readerAge) commits"),
            ]))
    }

    /// Bytes for people.
    static func size(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "\((bytes >> 10).grouped) KiB" : "\((bytes >> 20).grouped) MiB"
    }

    private static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "-" : "\(Int(Double(part) / Double(whole) * 100)) %"
    }

    // MARK: A server

    /// What STATISTICS tells, and of one app what can be counted in pages.
    private func show(_ client: CarillonClient, _ rowSource: ServerRowSource) async throws {
        let statistics: ServerStatistics?
        do throws(CarillonError) {
            statistics = try await client.statistics()
        } catch {
            // Who administers one app only is told of that one.
            guard error.code.server == .forbidden, apps.app != nil else { throw error }
            statistics = nil
        }
        var rows = (statistics?.registryCounts?.apps ?? []).filter { $0.app == apps.app || apps.app == nil }.map {
            count in
            var row = RegistryStatistics.App(app: count.app)
            (row.devices, row.quarantined) = (count.devices, count.quarantined)
            (row.groups, row.topics) = (count.groups, count.topics)
            return row
        }
        if let app = apps.app { rows = [try await count(app, rowSource, known: rows.first)] }
        guard !source.server.json else {
            return Terminal.say(
                JSON.members([
                    "apps": .list(rows.map(\.json)), "database": statistics?.database.map(\.json),
                ]).line)
        }
        for row in rows { Terminal.say(Terminal.table(row.rows) + "\n") }
        if let database = statistics?.database { Terminal.say(Terminal.table(database.rows)) }
    }

    /// Counts an app page by page; devices and groups only if they are not known.
    private func count(
        _ app: AppID, _ rowSource: any RowSource, known: RegistryStatistics.App?
    ) async throws -> RegistryStatistics.App {
        var row = known ?? RegistryStatistics.App(app: app)
        row.topics = 0
        var topic: TopicName?
        repeat {
            let page = try await rowSource.topics(of: app, prefix: "", after: topic)
            row.topics += UInt64(page.rows.count)
            for topic in page.rows {
                row.note(.init(name: topic.topic.name, devices: UInt64(topic.devices)), largest: largest)
            }
            topic = page.next
        } while topic != nil
        var message: MessageID?
        var messages: [MessageState: UInt64] = [:]
        repeat {
            let page = try await rowSource.messages(of: app, before: message)
            for message in page.rows {
                messages[message.state, default: 0] += 1
                if message.state != .finished { row.pending += message.total - min(message.ended, message.total) }
            }
            message = page.next
        } while message != nil
        row.messages = messages
        guard known == nil else { return row }
        var group: GroupName?
        repeat {
            let page = try await rowSource.groups(of: app, prefix: "", after: group)
            row.groups += UInt64(page.rows.count)
            group = page.next
        } while group != nil
        var device: UInt64?
        repeat {
            let page = try await rowSource.devices(of: app, from: device)
            for device in page.rows {
                if device.state == .active { row.devices += 1 } else { row.quarantined += 1 }
            }
            device = page.next
        } while device != nil
        return row
    }
}

extension ServerStatistics.Database {
    /// The database with stable names.
    fileprivate var json: JSON {
        .members([
            "file_bytes": .number(bytes), "free_bytes": .number(freeBytes), "map_bytes": .number(mapBytes),
            "limit_bytes": .number(limitBytes), "readers": .number(UInt64(readers)), "reader_age": .number(readerAge),
            "messages": .number(messages), "outbox": .number(unfinished), "scheduled": .number(scheduled),
        ])
    }

    /// The database for people.
    fileprivate var rows: [(name: String, value: String)] {
        func size(_ bytes: UInt64) -> String { StatsCommand.size(Int(clamping: bytes)) }
        return [
            ("kept", Int(clamping: messages).messages), ("outbox", Int(clamping: unfinished).grouped),
            ("scheduled", Int(clamping: scheduled).grouped),
            ("file", "\(size(bytes)), \(size(freeBytes)) of it free"),
            ("map", "\(size(mapBytes)), \(size(limitBytes)) at most"),
            ("readers", "\(readers)"), ("reader age", "\(readerAge) commits"),
        ]
    }
}

extension RegistryStatistics.App {
    private var states: [(state: MessageState, count: UInt64)] {
        (messages ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    /// The app with stable names.
    var json: JSON {
        .members([
            "app": .text(app.name), "devices": .number(devices), "quarantined": .number(quarantined),
            "groups": .number(groups), "topics": .number(topics),
            "largest_topics": .list(
                largestTopics.map { .members(["topic": .text($0.name), "devices": .number($0.devices)]) }),
            "messages": messages.map { _ in
                .object(states.map { .init(name: $0.state.name, value: .number($0.count)) })
            },
            "pending": messages.map { _ in .number(pending) },
        ])
    }

    /// The app for people.
    var rows: [(name: String, value: String)] {
        let list = states.map { "\(Int(clamping: $0.count).grouped) \($0.state.name)" }.joined(separator: ", ")
        var rows = [
            ("app", app.name), ("devices", Int(clamping: devices).grouped),
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
    /// The table with stable names.
    fileprivate var json: JSON {
        .members(["table": .text(name), "rows": .number(UInt64(rows)), "pages": .number(UInt64(pages))])
    }
}

extension StorageStatistics {
    /// The database with stable names.
    fileprivate func json(freePages: Int) -> JSON {
        .members([
            "file_bytes": .number(UInt64(bytes)), "page_bytes": .number(UInt64(pageBytes)),
            "pages": .number(UInt64(bytes / max(pageBytes, 1))), "free_pages": .number(UInt64(freePages)),
            "map_bytes": .number(UInt64(mapBytes)), "commits": .number(commits), "readers": .number(UInt64(readers)),
            "reader_age": .number(readerAge),
        ])
    }
}
