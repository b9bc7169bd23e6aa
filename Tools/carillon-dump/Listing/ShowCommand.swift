import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one device, group, topic or message with all that hangs on it.",
        subcommands: [ShowDeviceCommand.self, ShowGroupCommand.self, ShowTopicCommand.self, ShowMessageCommand.self]
    )
}

/// Names and values that are shown one below the other, or as one object.
struct PropertyTable {
    private var rows: [(name: String, value: String)] = []
    private var members: [JSON.Member] = []

    /// Adds a value that is there, as text for people and for programs.
    mutating func add(_ name: String, _ text: String?, _ key: String, _ value: JSON?) {
        if let text { rows.append((name, text)) }
        if let value { members.append(.init(name: key, value: value)) }
    }

    /// Adds a number.
    mutating func add(_ name: String, _ number: UInt64?, _ key: String) {
        add(name, number.map { Int(clamping: $0).grouped }, key, number.map { .number($0) })
    }

    /// Adds a text.
    mutating func add(_ name: String, _ text: String?, _ key: String) { add(name, text, key, text.map { .text($0) }) }

    /// Adds a point of time.
    mutating func add(_ name: String, _ time: Timestamp?, _ key: String, now: Timestamp) {
        let text = time.map { "\($0.utc), \($0.relative(to: now))" }
        add(name, text, key + "_ms", time.map { .number($0.milliseconds) })
    }

    /// Adds names; for people no more than `limit`.
    mutating func add(_ name: String, _ names: [String], _ key: String, limit: Int = 100) {
        let more = names.count > limit ? " and \((names.count - limit).grouped) more" : ""
        let text = names.isEmpty ? "none" : names.prefix(limit).joined(separator: ", ") + more
        add(name, text, key, .list(names.map { .text($0) }))
    }

    /// Shows all of it.
    func show(isJSON: Bool) {
        Terminal.say(isJSON ? JSON.object(members).line : Terminal.table(rows))
    }
}

struct ShowDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Shows a device, its groups, and its topics with who holds each.",
        discussion: """
            Examples:
              carillon-dump show device --data /var/lib/carillon --app com.example.game --device 17
              carillon-dump show device --data /var/lib/carillon --app com.example.game --token 00fc13ad…
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("The id that the server gave the device.", valueName: "id"))
    var device: DeviceID?

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: "Which APNs the token belongs to. Without it production.")
    var environment: Environment?

    @Option(help: "What the token is good for. Without it device.")
    var kind: TokenKind?

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard (token == nil) != (device == nil) else {
            throw ValidationError("Name the device by --token or by --device, one of the two.")
        }
    }

    private var reference: DeviceReference? {
        if let device { return .id(device) }
        return token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token))
        }
    }

    func run() async throws {
        guard let reference else { return }
        try await source.run { rowSource in
            guard let device = try await rowSource.device(reference, of: app) else {
                throw Failure.refused("there is no such device")
            }
            let now = Timestamp.now
            var sheet = PropertyTable()
            sheet.add("app", app.name, "app")
            sheet.add(
                "device", "\(device.id)  \(device.state)\(device.isMuted ? "  muted" : "")", "device_id",
                .number(device.id.rawValue))
            sheet.add("state", nil, "state", .text("\(device.state)"))
            sheet.add("muted", nil, "muted", device.isMuted ? .bool(true) : nil)
            sheet.add("environment", device.address.environment.name, "environment")
            sheet.add("kind", device.address.kind.name, "kind")
            sheet.add("token", source.text(of: device.address.token), "token")
            sheet.add("registered", device.registeredAt, "registered_at", now: now)
            sheet.add("seen", device.seenAt, "seen_at", now: now)
            sheet.add("locale", device.locale, "locale")
            sheet.add("time zone", device.timeZone, "time_zone")
            for entry in device.attributes.entries { sheet.add(entry.key.name, entry.value.text, entry.key.name, nil) }
            let attributes = device.attributes.entries.map {
                JSON.Member(name: $0.key.name, value: .text($0.value.text))
            }
            sheet.add("", nil, "attributes", attributes.isEmpty ? nil : .object(attributes))
            if let stored = rowSource as? DirectoryRowSource {
                let since = try stored.registry.quarantinedSince(device.id, of: app)
                sheet.add("quarantined", since, "quarantined_at", now: now)
                let pushes = try stored.registry.silentPushes(to: device.id, of: app)
                let times = pushes.map { $0.relative(to: now) }.joined(separator: ", ")
                let values = JSON.list(pushes.map { .number($0.milliseconds) })
                if !pushes.isEmpty { sheet.add("silent pushes", times, "silent_at_ms", values) }
            }
            try await addMemberships(of: device.id, rowSource, to: &sheet)
            sheet.show(isJSON: source.server.json)
        }
    }

    private func addMemberships(of id: DeviceID, _ rowSource: any RowSource, to sheet: inout PropertyTable) async throws
    {
        var groups: [Memberships.Membership] = []
        var holders: [(topic: TopicName, sources: [GroupName?])] = []
        var after: TopicName?
        repeat {
            guard let page = try await rowSource.memberships(of: id, app: app, after: after) else { break }
            groups = page.groups
            for holding in page.topics {
                if holders.last?.topic != holding.topic { holders.append((holding.topic, [])) }
                holders[holders.count - 1].sources.append(holding.source)
            }
            after = page.next
        } while after != nil
        let names = groups.map { $0.group.name + ($0.isMuted ? " (muted)" : "") }
        sheet.add(
            "groups", names.isEmpty ? "none" : names.joined(separator: ", "), "groups",
            .list(groups.map { .members(["group": .text($0.group.name), "muted": $0.isMuted ? .bool(true) : nil]) }))
        sheet.add("topics", holders.isEmpty ? "none" : holders.count.grouped, "topics", nil)
        for holder in holders {
            let sources = holder.sources.map { $0?.name ?? "itself" }.joined(separator: ", ")
            sheet.add("  " + holder.topic.name, "held by " + sources, "", nil)
        }
        let topics = holders.map { holder in
            let sources = holder.sources.map { JSON.text($0?.name ?? "") }
            return JSON.members(["topic": .text(holder.topic.name), "sources": .list(sources)])
        }
        sheet.add("", nil, "topics", .list(topics))
    }
}

struct ShowGroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Shows a group, its devices and its topics.",
        discussion: """
            Examples:
              carillon-dump show group user/42 --data /var/lib/carillon --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The group.", valueName: "group"))
    var group: GroupName

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            let found = try await rowSource.groups(of: app, prefix: group.name, after: nil).rows.first
            guard let found, found.group == group else { throw Failure.refused("there is no such group") }
            var sheet = PropertyTable()
            sheet.add("app", app.name, "app")
            sheet.add("group", group.name + (found.isMuted ? "  muted" : ""), "group", .text(group.name))
            sheet.add("muted", nil, "muted", found.isMuted ? .bool(true) : nil)
            sheet.add("devices", UInt64(found.devices), "devices")
            let devices = try await every { try await rowSource.devices(of: group, app: app, from: $0) }
            sheet.add("", devices.map(\.description), "device_ids")
            let topics = try await every { try await rowSource.topics(of: group, app: app, after: $0) }
            sheet.add("topics", topics.map(\.name), "topics")
            sheet.show(isJSON: source.server.json)
        }
    }
}

struct ShowTopicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic",
        abstract: "Shows a topic, its devices, and of a data directory the groups that hold it.",
        discussion: """
            Examples:
              carillon-dump show topic level5 --data /var/lib/carillon --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The topic.", valueName: "topic"))
    var topic: TopicName

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("Shows so many devices and groups.", valueName: "count"))
    var limit = 1_000

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is at least 1.") }
    }

    func run() async throws {
        try await source.run { rowSource in
            let found = try await rowSource.topics(of: app, prefix: topic.name, after: nil).rows.first
            guard let found, found.topic == topic else { throw Failure.refused("there is no such topic") }
            var sheet = PropertyTable()
            sheet.add("app", app.name, "app")
            sheet.add("topic", topic.name, "topic")
            sheet.add("devices", UInt64(found.devices), "devices")
            let devices = try await every(limit) { try await rowSource.devices(in: topic, app: app, from: $0) }
            sheet.add("", devices.map(\.description), "device_ids")
            if let stored = rowSource as? DirectoryRowSource {
                let holders = try stored.registry.subscribingGroups(of: topic, app: app, limit: limit)
                sheet.add("groups", UInt64(holders.total), "groups")
                if holders.total > 0 { sheet.add("", holders.groups.map(\.name), "group_names") }
            }
            sheet.show(isJSON: source.server.json)
        }
    }
}

struct ShowMessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Shows a message, how far it is, and of a data directory what is said.",
        discussion: """
            Examples:
              carillon-dump show message 9 --data /var/lib/carillon --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The message.", valueName: "id"))
    var message: MessageID

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var source: SourceOptions

    func run() async throws {
        try await source.run { rowSource in
            guard let status = try await rowSource.status(of: message, app: app) else {
                throw Failure.refused("there is no such message")
            }
            let now = Timestamp.now
            var sheet = PropertyTable()
            sheet.add("app", app.name, "app")
            sheet.add("message", "\(message)  \(status.state.name)", "message_id", .number(message.rawValue))
            sheet.add("", nil, "state", .text(status.state.name))
            sheet.add("accepted", status.acceptedAt, "accepted_at", now: now)
            sheet.add("finished", status.finishedAt == .zero ? nil : status.finishedAt, "finished_at", now: now)
            sheet.add("begins", status.sendAt, "send_at", now: now)
            sheet.add("audience", status.audience, "audience")
            sheet.add(
                "pace", status.pace.map { "\($0) a second at most" }, "pace", status.pace.map { .number(UInt64($0)) })
            sheet.add("devices", status.total, "total")
            let outcomes = status.outcomes.sorted { $0.key < $1.key }
            for (outcome, count) in outcomes { sheet.add("  " + outcome.name, Int(clamping: count).grouped, "", nil) }
            sheet.add("", nil, "outcomes", .object(outcomes.map { .init(name: $0.key.name, value: .number($0.value)) }))
            sheet.add("received", status.received == 0 ? nil : status.received, "received")
            sheet.add("opened", status.opened == 0 ? nil : status.opened, "opened")
            if let stored = rowSource as? DirectoryRowSource,
                let details = try stored.registry.details(of: message, app: app)
            {
                add(details, to: &sheet, now: now)
            }
            sheet.show(isJSON: source.server.json)
        }
    }

    private func add(_ details: MessageDetails, to sheet: inout PropertyTable, now: Timestamp) {
        let content = details.content
        sheet.add("waiting", details.delayed == 0 ? nil : details.delayed, "delayed")
        sheet.add("cancelled", details.isCancelled ? "yes" : nil, "cancelled", details.isCancelled ? .bool(true) : nil)
        sheet.add(
            "left out", details.except.isEmpty ? nil : details.except.map(\.description).joined(separator: ", "),
            "except", details.except.isEmpty ? nil : .list(details.except.map { .number($0.rawValue) }))
        sheet.add("key", "\(details.key)", "key")
        sheet.add("type", content.pushType.name, "push_type")
        sheet.add("lane", "\(details.lane)", "lane")
        sheet.add("priority", content.priority.map { UInt64($0.rawValue) }, "priority")
        sheet.add("not after", details.notAfter, "not_after", now: now)
        switch content.expiration {
        case .unspecified: break
        case .once: sheet.add("expiration", "0, tried once", "expiration", .number(0))
        case .at(let seconds): sheet.add("expiration", "\(seconds) s since 1970", "expiration", .number(seconds))
        }
        sheet.add("collapse id", content.collapseID, "collapse_id")
        sheet.add("id key", content.idKey, "id_key")
        if !content.payload.isEmpty {
            sheet.add("payload", String(decoding: content.payload, as: UTF8.self), "payload")
        }
        for body in content.bodies {
            sheet.add("  " + body.language, String(decoding: body.payload, as: UTF8.self), "", nil)
        }
        let bodies = content.bodies.map {
            JSON.Member(name: $0.language, value: .text(String(decoding: $0.payload, as: UTF8.self)))
        }
        sheet.add("", nil, "bodies", bodies.isEmpty ? nil : .object(bodies))
    }
}

/// The first rows of a listing, page by page; all of them without a limit.
private func every<Row, Cursor>(
    _ limit: Int = .max,
    _ page: (Cursor?) async throws -> Page<Row, Cursor>
) async throws -> [Row] {
    var rows: [Row] = []
    var cursor: Cursor?
    repeat {
        let next = try await page(cursor)
        rows += next.rows.prefix(limit - rows.count)
        cursor = next.next
    } while cursor != nil && rows.count < limit
    return rows
}
