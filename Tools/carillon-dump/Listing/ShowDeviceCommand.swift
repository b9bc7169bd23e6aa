import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct ShowDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Shows a device, its groups, and its topics with their sources.",
        discussion: """
            Examples:
              carillon-dump show device --data /var/lib/carillon --app com.example.game --device 17
              carillon-dump show device --data /var/lib/carillon --app com.example.game --token 00fc13ad…
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("The device id.", valueName: "id"))
    var device: DeviceID?

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: "The environment of the token. Default: production.")
    var environment: Environment?

    @Option(help: "The kind of the token. Default: device.")
    var kind: TokenKind?

    @OptionGroup var source: SourceOptions

    func validate() throws {
        guard (token == nil) != (device == nil) else {
            throw ValidationError("Give the device by --token or by --device, one of the two.")
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
            var table = PropertyTable()
            table.add("app", app.name, key: "app")
            table.add(
                "device", "\(device.id)  \(device.state)\(device.isMuted ? "  muted" : "")", key: "device_id",
                json: .number(device.id.rawValue))
            table.add("state", nil, key: "state", json: .text("\(device.state)"))
            table.add("muted", nil, key: "muted", json: device.isMuted ? .bool(true) : nil)
            table.add("environment", device.address.environment.name, key: "environment")
            table.add("kind", device.address.kind.name, key: "kind")
            table.add("token", source.text(of: device.address.token), key: "token")
            table.add("registered", device.registeredAt, key: "registered_at", now: now)
            table.add("seen", device.seenAt, key: "seen_at", now: now)
            table.add("locale", device.locale, key: "locale")
            table.add("time zone", device.timeZone, key: "time_zone")
            for entry in device.attributes.entries {
                table.add(entry.key.name, entry.value.text, key: entry.key.name, json: nil)
            }
            let attributes = device.attributes.entries.map {
                JSON.Member(name: $0.key.name, value: .text($0.value.text))
            }
            table.add("", nil, key: "attributes", json: attributes.isEmpty ? nil : .object(attributes))
            if let stored = rowSource as? DirectoryRowSource {
                let since = try stored.registry.quarantinedSince(device.id, of: app)
                table.add("quarantined", since, key: "quarantined_at", now: now)
                let pushes = try stored.registry.silentPushes(to: device.id, of: app)
                let times = pushes.map { $0.relative(to: now) }.joined(separator: ", ")
                let values = JSON.list(pushes.map { .number($0.milliseconds) })
                if !pushes.isEmpty { table.add("silent pushes", times, key: "silent_at_ms", json: values) }
            }
            try await addMemberships(of: device.id, rowSource, to: &table)
            table.show(isJSON: source.server.json)
        }
    }

    private func addMemberships(of id: DeviceID, _ rowSource: any RowSource, to table: inout PropertyTable) async throws
    {
        var groups: [Memberships.Membership] = []
        var topicSources: [(topic: TopicName, sources: [GroupName?])] = []
        var after: TopicName?
        repeat {
            guard let page = try await rowSource.memberships(of: id, app: app, after: after) else { break }
            groups = page.groups
            for holding in page.topics {
                if topicSources.last?.topic != holding.topic { topicSources.append((holding.topic, [])) }
                topicSources[topicSources.count - 1].sources.append(holding.source)
            }
            after = page.next
        } while after != nil
        let names = groups.map { $0.group.name + ($0.isMuted ? " (muted)" : "") }
        table.add(
            "groups", names.isEmpty ? "none" : names.joined(separator: ", "), key: "groups",
            json: .list(
                groups.map { .members(["group": .text($0.group.name), "muted": $0.isMuted ? .bool(true) : nil]) }))
        table.add("topics", topicSources.isEmpty ? "none" : topicSources.count.grouped, key: "topics", json: nil)
        for row in topicSources {
            let sources = row.sources.map { $0?.name ?? "itself" }.joined(separator: ", ")
            table.add("  " + row.topic.name, "subscribed by " + sources, key: "", json: nil)
        }
        let topics = topicSources.map { row in
            let sources = row.sources.map { JSON.text($0?.name ?? "") }
            return JSON.members(["topic": .text(row.topic.name), "sources": .list(sources)])
        }
        table.add("", nil, key: "topics", json: .list(topics))
    }
}
