import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct DeviceMembershipsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memberships",
        abstract: "Lists the groups of a device, and its topics with their sources.",
        discussion: """
            Examples:
              carillon device memberships --app com.example.game --device 17
            """
    )

    @OptionGroup var device: DeviceArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        guard let reference = device.reference else { return }
        try await server.run(for: device.app) { client, app in
            var page = try await client.memberships(of: reference, app: app)
            StandardOutput.printLine(server.json ? page.json.line : page.table)
            while let next = page.next {
                page = try await client.memberships(of: reference, app: app, after: next)
                StandardOutput.printLine(server.json ? page.json.line : TwoColumnTable.text(of: page.rows))
            }
        }
    }
}

/// Formats the memberships of a device for users and as JSON.
extension Memberships {
    /// The page as JSON; its names are stable. The device itself is an empty source.
    var json: JSON {
        .members([
            "device_id": .number(device.rawValue),
            "muted": .bool(isMuted),
            "groups": .list(groups.map { .members(["group": .text($0.group.name), "muted": .bool($0.isMuted)]) }),
            "topics": .list(
                topics.sourcesByTopic.map { row in
                    let sources = row.sources.map { JSON.text($0?.name ?? "") }
                    return .members(["topic": .text(row.topic.name), "sources": .list(sources)])
                }
            ),
        ])
    }

    var rows: [(name: String, value: String)] {
        topics.sourcesByTopic.map { row in
            ("  " + row.topic.name, "subscribed by " + row.sources.map { $0?.name ?? "itself" }.joined(separator: ", "))
        }
    }

    var table: String {
        let names = groups.map { $0.group.name + ($0.isMuted ? " (muted)" : "") }
        let head = [
            ("device", "\(device)" + (isMuted ? "  muted" : "")),
            ("groups", names.isEmpty ? "none" : names.joined(separator: ", ")),
            ("topics", topics.isEmpty ? "none" : "\(topics.sourcesByTopic.count)\(next == nil ? "" : " and more")"),
        ]
        return TwoColumnTable.text(of: head) + (topics.isEmpty ? "" : "\n" + TwoColumnTable.text(of: rows))
    }
}
