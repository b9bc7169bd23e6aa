import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Device groups: an account or a character, and all devices it is signed in on.",
        discussion: """
            Examples:
              carillon group join user/42 --app com.example.game --device 17
              carillon group members user/42 --app com.example.game
              carillon group list --app com.example.game --prefix user/
            """,
        subcommands: [
            JoinCommand.self, LeaveCommand.self, SwitchCommand.self, MembersCommand.self, GroupListCommand.self,
            GroupTopicsCommand.self, MuteCommand.self, UnmuteCommand.self,
        ]
    )
}

/// A group of an app.
struct GroupArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The group, as user/42.", valueName: "group"))
    var group: GroupName

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID
}

struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Brings devices into a group, as at a sign-in.",
        discussion: """
            Examples:
              carillon group join user/42 --app com.example.game --device 17
              carillon group join user/42 --app com.example.game --device 17 \\
                --title "New sign-in" --body "On an iPhone, just now."

            What is said goes to the group's other devices, if the device is new in it.
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var devices: DevicesArguments
    @OptionGroup(title: "What the others are told") var content: ContentOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !devices.isEmpty else { throw ValidationError("Who joins? --device or --token.") }
    }

    func run() async throws {
        let (references, announcement) = (devices.references(), try content.announcement())
        let answer = try await server.run { client in
            try await client.join(group.group, devices: references, app: group.app, announcing: announcement)
        }
        if server.json {
            Terminal.say(
                JSON.members([
                    "joined": .number(UInt64(answer.joined)),
                    "message_id": answer.announcement.map { .number($0.rawValue) },
                    "unknown": .list(answer.unknown.compactMap { references.at($0)?.json }),
                ]).line
            )
        } else {
            let told = answer.announcement.map { "; the others are told: message \($0)" } ?? ""
            Terminal.say("joined \(answer.joined) of \(references.count)\(told)")
        }
        try references.complain(of: answer.unknown, quietly: server.json)
    }
}

struct LeaveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Takes devices out of a group, as at a sign-out.",
        discussion: """
            Examples:
              carillon group leave user/42 --app com.example.game --device 17
              carillon group leave user/42 --app com.example.game --device 17 --clear-topics
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var devices: DevicesArguments

    @Flag(help: "The devices' own subscriptions end as well.")
    var clearTopics = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !devices.isEmpty else { throw ValidationError("Who leaves? --device or --token.") }
    }

    func run() async throws {
        let references = devices.references()
        let answer = try await server.run { client in
            try await client.leave(group.group, devices: references, app: group.app, clearingTopics: clearTopics)
        }
        try references.show(answer, "left", isJSON: server.json)
    }
}

struct SwitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Moves a device from one group to another in one step.",
        discussion: """
            Examples:
              carillon group switch --from role/9001 --to role/9002 \\
                --app com.example.game --device 17
            """
    )

    @Option(help: ArgumentHelp("The group that it leaves.", valueName: "group"))
    var from: GroupName

    @Option(help: ArgumentHelp("The group that it joins.", valueName: "group"))
    var to: GroupName

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "What the others are told") var content: ContentOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        let announcement = try content.announcement()
        try await server.run { client in
            let answer = try await client.switchGroup(
                of: reference, from: from, to: to, app: device.app, announcing: announcement)
            Terminal.say(server.json ? answer.json.line : answer.line(from, to))
        }
    }
}

struct MembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: "Lists the devices of a group.",
        discussion: """
            Examples:
              carillon group members user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            try await rows.show(client.devices(of: group.group, app: group.app), isJSON: server.json)
        }
    }
}

struct GroupListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the groups of an app, with how many devices each has.",
        discussion: """
            Examples:
              carillon group list --app com.example.game --prefix user/ --limit 20
            """
    )

    @OptionGroup var names: NamesOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            if !server.json { Terminal.say(Terminal.row("devices", "group")) }
            try await rows.show(client.groups(of: names.app, prefix: names.prefix), isJSON: server.json) { row in
                server.json
                    ? JSON.members([
                        "group": .text(row.group.name), "devices": .number(UInt64(row.devices)),
                        "muted": .bool(row.isMuted),
                    ]).line
                    : Terminal.row(row.devices.grouped, row.group.name + (row.isMuted ? "  muted" : ""))
            }
        }
    }
}

struct GroupTopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Lists the topics that a group is subscribed to, and its devices with it.",
        discussion: """
            Examples:
              carillon group topics user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run { client in
            try await rows.show(client.topics(of: group.group, app: group.app), isJSON: server.json) { topic in
                server.json ? JSON.members(["topic": .text(topic.name)]).line : topic.name
            }
        }
    }
}

struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "The devices of a group get nothing at all.",
        discussion: """
            Examples:
              carillon group mute user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await group.setMuted(true, server) }
}

struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute",
        abstract: "The devices of a group get pushes again.",
        discussion: """
            Examples:
              carillon group unmute user/42 --app com.example.game
            """
    )

    @OptionGroup var group: GroupArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await group.setMuted(false, server) }
}

extension GroupArguments {
    fileprivate func setMuted(_ isMuted: Bool, _ server: ServerOptions) async throws {
        try await server.run { client in
            let devices = try await client.setMuted(isMuted, group: group, app: app)
            Terminal.say(
                server.json
                    ? JSON.members([
                        "group": .text(group.name), "muted": .bool(isMuted), "devices": .number(UInt64(devices)),
                    ]).line
                    : "\(group)  \(isMuted ? "muted" : "not muted"), \(devices.devices)"
            )
        }
    }
}

extension SwitchResult {
    /// The result with stable names.
    fileprivate var json: JSON {
        .members([
            "device_id": .number(device.rawValue), "left": .bool(hasLeft), "joined": .bool(hasJoined),
            "message_id": announcement.map { .number($0.rawValue) },
        ])
    }

    /// The result for people.
    fileprivate func line(_ from: GroupName, _ to: GroupName) -> String {
        var parts = [
            hasLeft ? "left \(from)" : "was not in \(from)", hasJoined ? "joined \(to)" : "was in \(to) already",
        ]
        if let announcement { parts.append("the others are told: message \(announcement)") }
        return "device \(device)  \(parts.joined(separator: ", "))"
    }
}

extension [DeviceReference] {
    /// The device of that index, if a server names one that is there.
    func at(_ index: Int) -> DeviceReference? { indices.contains(index) ? self[index] : nil }

    /// Names the devices that are not registered; if there are any, the command has not done all it should.
    func complain(of unknown: [Int], quietly: Bool) throws {
        guard !unknown.isEmpty else { return }
        if !quietly { for device in unknown.compactMap(at) { Terminal.complain("  not registered: \(device.text)") } }
        throw ExitStatus.refused
    }

    /// Shows what leaving or subscribing came to.
    func show(_ answer: MembershipResult, _ name: String, isJSON: Bool) throws {
        Terminal.say(
            isJSON
                ? JSON.members([
                    name == "left" ? "left" : "changed": .number(UInt64(answer.changed)),
                    "unknown": .list(answer.unknown.compactMap { at($0)?.json }),
                ]).line
                : "\(name) \(answer.changed)"
        )
        try complain(of: answer.unknown, quietly: isJSON)
    }
}

extension Int {
    /// So many devices, for people.
    var devices: String { "\(grouped) \(self == 1 ? "device" : "devices")" }
}
