import CarillonCommandLine
import CarillonCore

/// The output of the memberships of a device for users and as JSON.
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

    /// The topics as rows of text.
    var rows: [(name: String, value: String)] {
        topics.sourcesByTopic.map { row in
            ("  " + row.topic.name, "subscribed by " + row.sources.map { $0?.name ?? "itself" }.joined(separator: ", "))
        }
    }

    /// The page as text.
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
