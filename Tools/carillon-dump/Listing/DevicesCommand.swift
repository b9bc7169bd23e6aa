public import ArgumentParser
import CarillonClient
import CarillonCommandLine
public import CarillonCore

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists devices, active and quarantined.",
        discussion: """
            Examples:
              carillon-dump devices --data /var/lib/carillon --platform ios --locale zh --csv
              carillon-dump devices --data /var/lib/carillon --app com.example.game --topic level5
              carillon-dump devices --server push.internal:7474 --app com.example.game --state quarantined
            """
    )

    @OptionGroup var apps: AppOptions
    @OptionGroup var filter: DeviceFilter
    @OptionGroup var rows: RowOptions
    @OptionGroup var source: SourceOptions

    static let columns = [
        "app", "device_id", "environment", "kind", "token", "state", "registered_at_ms", "seen_at_ms", "locale",
        "time_zone", "muted", "attributes",
    ]

    func run() async throws {
        try await source.run { rowSource in
            let output = try rows.output(Self.columns)
            for app in try await apps.apps(of: rowSource) {
                try await list(app, rowSource, to: output)
            }
            try output.flush()
        }
    }

    private func list(_ app: AppID, _ rowSource: any RowSource, to output: RowOutput) async throws {
        func show(_ device: Device) throws {
            if filter.admits(device) { try output.append(device.values(of: app, token: source.text)) }
        }
        guard filter.topic != nil || filter.group != nil else {
            var cursor: UInt64?
            repeat {
                let page = try await rowSource.devices(of: app, from: cursor)
                for device in page.rows { try show(device) }
                cursor = page.next
            } while cursor != nil && !output.isFull
            return
        }
        var cursor: UInt64?
        repeat {
            let page = try await members(of: app, rowSource, from: cursor)
            for id in page.rows where !output.isFull {
                // One that has gone since the page was read is none.
                if let device = try await rowSource.device(.id(id), of: app) { try show(device) }
            }
            cursor = page.next
        } while cursor != nil && !output.isFull
    }

    /// A page of the devices of the group or topic that the filter names.
    private func members(
        of app: AppID, _ rowSource: any RowSource, from cursor: UInt64?
    ) async throws -> Page<DeviceID, UInt64> {
        if let group = filter.group { return try await rowSource.devices(of: group, app: app, from: cursor) }
        guard let topic = filter.topic else { return Page(rows: [], next: nil) }
        return try await rowSource.devices(in: topic, app: app, from: cursor)
    }
}

/// Which devices are listed.
struct DeviceFilter: ParsableArguments {
    @Option(help: "Only those of this APNs.")
    var environment: Environment?

    @Option(help: "Only tokens of this kind.")
    var kind: TokenKind?

    @Option(help: "Only those in this state: active or quarantined.")
    var state: DeviceState?

    @Option(help: ArgumentHelp("Only those of this language, as zh, which zh-Hant-TW is, too.", valueName: "range"))
    var locale: String?

    @Option(help: ArgumentHelp("The same as --attribute platform=.", valueName: "name"))
    var platform: String?

    @Option(help: ArgumentHelp("Only those with this attribute; may be repeated.", valueName: "key=value"))
    var attribute: [AttributeChange] = []

    @Flag(help: "Only those that are muted themselves.")
    var muted = false

    @Option(help: ArgumentHelp("Only those that their app saw last before.", valueName: "time"))
    var seenBefore: TimeArgument?

    @Option(help: ArgumentHelp("Only those that their app saw then or after.", valueName: "time"))
    var seenAfter: TimeArgument?

    @Option(help: ArgumentHelp("Only those in this topic.", valueName: "topic"))
    var topic: TopicName?

    @Option(help: ArgumentHelp("Only those in this group.", valueName: "group"))
    var group: GroupName?

    func validate() throws {
        guard topic == nil || group == nil else { throw ValidationError("--topic and --group exclude each other.") }
        guard platform.map({ AttributeValue($0) != nil }) ?? true else {
            throw ValidationError("--platform is no value.")
        }
    }

    /// Whether a device is among them, its topic and group aside.
    func admits(_ device: Device) -> Bool {
        if let environment, device.address.environment != environment { return false }
        if let kind, device.address.kind != kind { return false }
        if let state, device.state != state { return false }
        if let locale {
            let ranges = device.locale.map(LanguageTag.ranges) ?? []
            guard ranges.contains(locale.lowercased()) else { return false }
        }
        if muted && !device.isMuted { return false }
        if let seenBefore, device.seenAt >= seenBefore.time { return false }
        if let seenAfter, device.seenAt < seenAfter.time { return false }
        var wanted = attribute
        if let platform, let change = AttributeChange(key: "platform", value: platform) { wanted.append(change) }
        return wanted.allSatisfy { device.attributes[$0.key] == $0.value }
    }
}

extension DeviceState: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        switch argument {
        case "active": self = .active
        case "quarantined": self = .quarantined
        default: return nil
        }
    }
}

extension Device {
    /// The device as values of the columns of `devices`.
    func values(of app: AppID, token: (DeviceToken) -> String) -> [JSON?] {
        [
            .text(app.name), .number(id.rawValue), .text(address.environment.name), .text(address.kind.name),
            .text(token(address.token)), .text("\(state)"), .number(registeredAt.milliseconds),
            .number(seenAt.milliseconds), locale.map { .text($0) }, timeZone.map { .text($0) },
            isMuted ? .bool(true) : nil,
            attributes.entries.isEmpty
                ? nil : .object(attributes.entries.map { .init(name: $0.key.name, value: .text($0.value.text)) }),
        ]
    }
}
