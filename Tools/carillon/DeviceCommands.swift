import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Shows and changes what the server knows of a device.",
        discussion: """
            Examples:
              carillon device show --app com.example.game --device 17
              carillon device update --app com.example.game --device 17 --locale zh-Hant
              carillon device quarantine --app com.example.game
            """,
        subcommands: [
            DeviceShowCommand.self, DeviceUpdateCommand.self, DeviceMembershipsCommand.self, QuarantineCommand.self,
            RestoreCommand.self,
        ]
    )
}

struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what the server knows of a device.",
        discussion: """
            Examples:
              carillon device show --app com.example.game --device 17
              carillon device show --app com.example.game --token 00fc13ad… --json
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let found = try await client.lookup(reference, app: device.app)
            Terminal.say(server.json ? found.json.line : found.table(at: .now))
        }
    }
}

/// The name that `device show` had first.
struct LookupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "The same as device show.",
        shouldDisplay: false
    )

    @OptionGroup var command: DeviceShowCommand

    func run() async throws { try await command.run() }
}

struct DeviceUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes fields of a device, or mutes it; what is not named stays.",
        discussion: """
            Examples:
              carillon device update --app com.example.game --device 17 --locale zh-Hant
              carillon device update --app com.example.game --device 17 \\
                --attribute platform=ios --attribute tier=gold
              carillon device update --app com.example.game --device 17 --mute
            """
    )

    @OptionGroup var device: DeviceArguments

    @Option(help: ArgumentHelp("A language tag; empty forgets it.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("A time zone as Europe/Berlin; empty forgets it.", valueName: "zone"))
    var timeZone: String?

    @Option(help: ArgumentHelp("An attribute; an empty value forgets it; may be repeated.", valueName: "key=value"))
    var attribute: [AttributeChange] = []

    @Flag(help: "The device gets nothing at all.")
    var mute = false

    @Flag(help: "The device gets pushes again.")
    var unmute = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !(mute && unmute) else { throw ValidationError("--mute and --unmute exclude each other.") }
        guard update != DeviceUpdate() else {
            throw ValidationError("What changes? --locale, --time-zone, --attribute, --mute or --unmute.")
        }
    }

    private var update: DeviceUpdate {
        DeviceUpdate(
            locale: locale,
            timeZone: timeZone,
            attributes: attribute,
            isMuted: mute ? true : unmute ? false : nil
        )
    }

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let id = try await client.update(reference, app: device.app, update)
            Terminal.say(
                server.json ? JSON.members(["device_id": .number(id.rawValue)]).line : "device \(id)  updated")
        }
    }
}

struct DeviceMembershipsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memberships",
        abstract: "Lists the groups of a device, and its topics with who holds each.",
        discussion: """
            Examples:
              carillon device memberships --app com.example.game --device 17
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            var page = try await client.memberships(of: reference, app: device.app)
            Terminal.say(server.json ? page.json.line : page.table)
            while let next = page.next {
                page = try await client.memberships(of: reference, app: device.app, after: next)
                Terminal.say(server.json ? page.json.line : Terminal.table(page.rows))
            }
        }
    }
}

struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Lists the devices whose tokens APNs has declared dead; nothing is sent to them.",
        discussion: """
            Examples:
              carillon device quarantine --app com.example.game --limit 20
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            try await rows.show(client.quarantine(of: app), isJSON: server.json)
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Takes a device out of quarantine: it gets pushes again.",
        discussion: """
            Examples:
              carillon device restore --app com.example.game --device 17
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let id = try await client.restore(reference, app: device.app)
            Terminal.say(
                server.json ? JSON.members(["device_id": .number(id.rawValue)]).line : "device \(id)  restored")
        }
    }
}

extension Memberships {
    /// The topics of the page, each once, with those who hold it: the device itself, or groups.
    private var holders: [(topic: TopicName, sources: [GroupName?])] {
        var holders: [(topic: TopicName, sources: [GroupName?])] = []
        for holding in topics {
            if holders.last?.topic != holding.topic { holders.append((holding.topic, [])) }
            holders[holders.count - 1].sources.append(holding.source)
        }
        return holders
    }

    /// The page with stable names; a topic that the device itself holds has an empty source.
    var json: JSON {
        .members([
            "device_id": .number(device.rawValue),
            "muted": .bool(isMuted),
            "groups": .list(groups.map { .members(["group": .text($0.group.name), "muted": .bool($0.isMuted)]) }),
            "topics": .list(
                holders.map { row in
                    let sources = row.sources.map { JSON.text($0?.name ?? "") }
                    return .members(["topic": .text(row.topic.name), "sources": .list(sources)])
                }
            ),
        ])
    }

    /// The topics for people.
    var rows: [(name: String, value: String)] {
        holders.map { row in
            ("  " + row.topic.name, "held by " + row.sources.map { $0?.name ?? "itself" }.joined(separator: ", "))
        }
    }

    /// The page for people.
    var table: String {
        let names = groups.map { $0.group.name + ($0.isMuted ? " (muted)" : "") }
        let head = [
            ("device", "\(device)" + (isMuted ? "  muted" : "")),
            ("groups", names.isEmpty ? "none" : names.joined(separator: ", ")),
            ("topics", topics.isEmpty ? "none" : "\(holders.count)\(next == nil ? "" : " and more")"),
        ]
        return Terminal.table(head) + (topics.isEmpty ? "" : "\n" + Terminal.table(rows))
    }
}

struct UnregisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unregister",
        abstract: "Ends a registration: no push to the device begins after it.",
        discussion: """
            Examples:
              carillon unregister --app com.example.game --device 17
              carillon unregister --app com.example.game --token 00fc13ad… --environment sandbox
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run { client in
            let id = try await client.unregister(reference, app: device.app)
            let result = id == nil ? "not_registered" : "removed"
            Terminal.say(
                server.json
                    ? JSON.members(["device_id": id.map { .number($0.rawValue) }, "result": .text(result)]).line
                    : id.map { "device \($0)  removed" } ?? "was not registered"
            )
        }
    }
}

extension Device {
    /// The device with stable names.
    var json: JSON {
        .members([
            "device_id": .number(id.rawValue),
            "environment": .text(address.environment.name),
            "kind": .text(address.kind.name),
            "token": .text(address.token.hex),
            "state": .text("\(state)"),
            "registered_at_ms": .number(registeredAt.milliseconds),
            "seen_at_ms": .number(seenAt.milliseconds),
            "locale": locale.map { .text($0) },
            "time_zone": timeZone.map { .text($0) },
            "attributes": attributes.entries.isEmpty
                ? nil : .object(attributes.entries.map { .init(name: $0.key.name, value: .text($0.value.text)) }),
            "muted": isMuted ? .bool(true) : nil,
        ])
    }

    /// The device for people.
    func table(at now: Timestamp) -> String {
        var rows = [
            ("device", "\(id)  \(state)\(isMuted ? "  muted" : "")"),
            ("kind", "\(address.kind.name), \(address.environment.name)"),
            ("token", address.token.hex), ("registered", registeredAt.relative(to: now)),
            ("seen", seenAt.relative(to: now)),
        ]
        if let locale { rows.append(("locale", locale)) }
        if let timeZone { rows.append(("time zone", timeZone)) }
        let pairs = attributes.entries.map { "\($0.key)=\($0.value)" }
        if !pairs.isEmpty { rows.append(("attributes", pairs.joined(separator: " "))) }
        return Terminal.table(rows)
    }
}
