package import CarillonCore

/// The facts about a device: its record, its groups, and its topics with their sources. `carillon device show` and
/// `carillon-dump show device` show it alike.
package struct DeviceReport {
    package var app: AppID
    package var device: DeviceRecord
    package var groups: [Memberships.GroupMembership] = []
    /// The topics with their sources, ascending by topic.
    package var topics: [Memberships.TopicMembership] = []
    /// The time at which the device was quarantined; nil if it was not, or if the time is not known.
    package var quarantinedAt: Timestamp?
    /// The times of the last silent pushes; empty if they are not known.
    package var silentPushes: [Timestamp] = []

    /// Makes a report without memberships.
    package init(app: AppID, device: DeviceRecord) {
        self.app = app
        self.device = device
    }

    /// Returns the report as a table, whose names in JSON are stable.
    ///
    /// - Parameter token: the text of the token, shortened or complete.
    package func table(token: String, at now: Timestamp) -> PropertyTable {
        var table = PropertyTable()
        table.add("app", value: app.name, key: "app")
        table.add(
            "device", text: "\(device.id)  \(device.state)\(device.isMuted ? "  muted" : "")", key: "device_id",
            json: .number(device.id.rawValue))
        table.add("state", text: nil, key: "state", json: .text("\(device.state)"))
        table.add("muted", text: nil, key: "muted", json: device.isMuted ? .bool(true) : nil)
        table.add("environment", value: device.address.environment.name, key: "environment")
        table.add("kind", value: device.address.kind.name, key: "kind")
        table.add("token", value: token, key: "token")
        table.add("registered", value: device.registeredAt, key: "registered_at", now: now)
        table.add("seen", value: device.seenAt, key: "seen_at", now: now)
        table.add("locale", value: device.locale, key: "locale")
        table.add("time zone", value: device.timeZone, key: "time_zone")
        let attributes = device.attributes.entries
        table.add(
            "attributes",
            text: attributes.isEmpty ? nil : attributes.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
            key: "attributes",
            json: attributes.isEmpty
                ? nil : .object(attributes.map { .init(name: $0.key.name, value: .text($0.value.text)) }))
        table.add("quarantined", value: quarantinedAt, key: "quarantined_at", now: now)
        if !silentPushes.isEmpty {
            table.add(
                "silent pushes", text: silentPushes.map { $0.relative(to: now) }.joined(separator: ", "),
                key: "silent_at_ms", json: .list(silentPushes.map { .number($0.milliseconds) }))
        }
        addMemberships(to: &table)
        return table
    }

    private func addMemberships(to table: inout PropertyTable) {
        let names = groups.map { $0.group.name + ($0.isMuted ? " (muted)" : "") }
        table.add(
            "groups", text: names.isEmpty ? "none" : names.joined(separator: ", "), key: "groups",
            json: .list(
                groups.map { .members(["group": .text($0.group.name), "muted": $0.isMuted ? .bool(true) : nil]) }))
        let topicSources = topics.sourcesByTopic
        table.add("topics", text: topicSources.isEmpty ? "none" : topicSources.count.grouped, key: "topics", json: nil)
        for row in topicSources {
            let sources = row.sources.map { $0?.name ?? "itself" }.joined(separator: ", ")
            table.add("  " + row.topic.name, text: "subscribed by " + sources, key: "", json: nil)
        }
        let topics = topicSources.map { row in
            let sources = row.sources.map { JSON.text($0?.name ?? "") }
            return JSON.members(["topic": .text(row.topic.name), "sources": .list(sources)])
        }
        table.add("", text: nil, key: "topics", json: .list(topics))
    }
}

extension [Memberships.TopicMembership] {
    /// The topics, each once, with its sources: nil for the device itself, or groups. Rows of one topic
    /// stand together.
    package var sourcesByTopic: [(topic: TopicName, sources: [GroupName?])] {
        var topics: [(topic: TopicName, sources: [GroupName?])] = []
        for membership in self {
            if topics.last?.topic != membership.topic { topics.append((membership.topic, [])) }
            topics[topics.count - 1].sources.append(membership.source)
        }
        return topics
    }
}
