import ArgumentParser
import CarillonArguments
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

            `reader age` is the number of commits since the oldest unfinished read began: while it grows, the file may \
            grow.
            """
    )

    @OptionGroup var apps: AppOptions

    @Option(help: ArgumentHelp("The number of topics to show of each app, the largest first.", valueName: "count"))
    var largest = 10

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard (0...1_000).contains(largest) else { throw ValidationError("--largest is 0 to 1000.") }
    }

    func run() async throws {
        try await source.run { rowSource in
            if let stored = rowSource as? DirectoryRowSource { try show(stored.registry) }
            if let served = rowSource as? ServerRowSource { try await show(served.client, rowSource: served) }
        }
    }

    // MARK: A data directory

    private func show(_ registry: LMDBRegistry) throws {
        var statistics = try registry.registryStatistics(largest: largest)
        let storage = try registry.statistics()
        let freePages = try registry.freePages()
        if let app = apps.app {
            statistics.apps.removeAll { $0.app != app }
            if statistics.apps.isEmpty { throw CommandError.refused("there is no app \(app)") }
        }
        guard !source.server.json else {
            return StandardOutput.printLine(
                JSON.members([
                    "apps": .list(statistics.apps.map(\.json)), "database": storage.json(freePages: freePages),
                    "tables": .list(statistics.tables.map(\.json)),
                    "tombstones": .number(UInt64(statistics.tombstones)),
                    "sendable": .number(UInt64(statistics.rows("outbox"))),
                    "scheduled": .number(UInt64(statistics.rows("schedule"))),
                    "last_message_id": .number(statistics.lastMessage), "last_event": .number(statistics.lastEvent),
                ]).line)
        }
        for app in statistics.apps { StandardOutput.printLine(TwoColumnTable.text(of: app.rows) + "\n") }
        let pages = storage.bytes / max(storage.pageBytes, 1)
        StandardOutput.printLine(
            TwoColumnTable.text(of: [
                ("sendable", statistics.rows("outbox").grouped), ("scheduled", statistics.rows("schedule").grouped),
                ("delayed", statistics.rows("delays").grouped), ("tombstones", statistics.tombstones.grouped),
                ("idempotency", statistics.rows("idempotency").counted("key")),
                ("events", "\(statistics.rows("events").grouped), the last is \(statistics.lastEvent)"),
                ("last message", "\(statistics.lastMessage)"),
                ("file", "\(Self.sizeText(storage.bytes)), \(pages.grouped) pages, \(freePages.grouped) of them free"),
                (
                    "map",
                    "\(Self.sizeText(storage.mapBytes)), \(Self.shareText(storage.bytes, of: storage.mapBytes)) used"
                ),
                ("commits", Int(clamping: storage.commits).grouped),
                ("readers", "\(storage.readers)"), ("reader age", "\(storage.readerAgeCommits) commits"),
            ]))
    }

    static func sizeText(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "\((bytes >> 10).grouped) KiB" : "\((bytes >> 20).grouped) MiB"
    }

    private static func shareText(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "-" : "\(Int(Double(part) / Double(whole) * 100)) %"
    }

    // MARK: A server

    /// Shows the server's statistics, and for one app the counts of its listings.
    private func show(_ client: CarillonClient, rowSource: ServerRowSource) async throws {
        let statistics: ServerStatistics?
        do throws(CarillonError) {
            statistics = try await client.statistics()
        } catch {
            // A key with the role admin for one app only gets the counts of that app.
            guard error.code.server == .forbidden, apps.app != nil else { throw error }
            statistics = nil
        }
        var rows = (statistics?.registryCounts?.apps ?? []).filter { $0.app == apps.app || apps.app == nil }.map {
            count in
            var row = RegistryStatistics.App(app: count.app)
            row.devices = count.devices
            row.quarantined = count.quarantined
            row.devicesByProvider = count.devicesByProvider
            row.groups = count.groups
            row.topics = count.topics
            return row
        }
        if let app = apps.app { rows = [try await count(app, from: rowSource, known: rows.first)] }
        guard !source.server.json else {
            return StandardOutput.printLine(
                JSON.members([
                    "apps": .list(rows.map(\.json)), "database": statistics?.database.map(\.json),
                ]).line)
        }
        for row in rows { StandardOutput.printLine(TwoColumnTable.text(of: row.rows) + "\n") }
        if let database = statistics?.database { StandardOutput.printLine(TwoColumnTable.text(of: database.rows)) }
    }

    /// Counts the rows of an app, page by page. Counts devices and groups only if their numbers are not known.
    private func count(
        _ app: AppID, from rowSource: any RowSource, known: RegistryStatistics.App?
    ) async throws -> RegistryStatistics.App {
        var row = known ?? RegistryStatistics.App(app: app)
        try await countTopics(of: app, from: rowSource, into: &row)
        try await countMessages(of: app, from: rowSource, into: &row)
        guard known == nil else { return row }
        try await countGroups(of: app, from: rowSource, into: &row)
        try await countDevices(of: app, from: rowSource, into: &row)
        return row
    }

    private func countTopics(
        of app: AppID, from rowSource: any RowSource, into row: inout RegistryStatistics.App
    ) async throws {
        row.topics = 0
        var topic: TopicName?
        repeat {
            let page = try await rowSource.topics(of: app, prefix: "", after: topic)
            row.topics += UInt64(page.rows.count)
            for topic in page.rows {
                row.insert(.init(name: topic.topic.name, devices: UInt64(topic.devices)), largest: largest)
            }
            topic = page.next
        } while topic != nil
    }

    /// Counts the messages by their states, and the recipients that are pending.
    private func countMessages(
        of app: AppID, from rowSource: any RowSource, into row: inout RegistryStatistics.App
    ) async throws {
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
    }

    private func countGroups(
        of app: AppID, from rowSource: any RowSource, into row: inout RegistryStatistics.App
    ) async throws {
        var group: GroupName?
        repeat {
            let page = try await rowSource.groups(of: app, prefix: "", after: group)
            row.groups += UInt64(page.rows.count)
            group = page.next
        } while group != nil
    }

    /// Counts the active devices of each provider, and the quarantined ones.
    private func countDevices(
        of app: AppID, from rowSource: any RowSource, into row: inout RegistryStatistics.App
    ) async throws {
        var counts: [Provider: UInt64] = [:]
        var cursor: UInt64?
        repeat {
            let page = try await rowSource.devices(of: app, from: cursor)
            for device in page.rows {
                if device.state == .active {
                    counts[device.address.kind.provider, default: 0] += 1
                } else {
                    row.quarantined += 1
                }
            }
            cursor = page.next
        } while cursor != nil
        row.devices = counts.values.reduce(0, +)
        row.devicesByProvider = counts
    }
}
