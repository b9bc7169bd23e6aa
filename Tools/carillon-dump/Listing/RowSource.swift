import CarillonClient
import CarillonCore
import CarillonRegistry

/// Where rows come from: a data directory or a server. Every call is one short read.
protocol RowSource {
    /// The apps there are; nil if they must be named.
    func apps() async throws -> [AppID]?

    /// Devices of an app, active and quarantined, ascending.
    func devices(of app: AppID, from cursor: UInt64?) async throws -> Page<Device, UInt64>

    /// A device, if it is registered.
    func device(_ reference: DeviceReference, of app: AppID) async throws -> Device?

    /// Groups of an app whose names begin so, ascending.
    func groups(of app: AppID, prefix: String, after name: GroupName?) async throws -> Page<GroupSummary, GroupName>

    /// Topics of an app whose names begin so, ascending.
    func topics(of app: AppID, prefix: String, after name: TopicName?) async throws -> Page<TopicSummary, TopicName>

    /// Devices of a group, ascending.
    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>

    /// Devices in a topic, ascending.
    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>

    /// Topics of a group, ascending.
    func topics(of group: GroupName, app: AppID, after name: TopicName?) async throws -> Page<TopicName, TopicName>

    /// Groups of a device, and a page of its topics with who holds each; nil if it is not registered.
    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) async throws -> Memberships?

    /// Messages of an app before one, the newest first.
    func messages(of app: AppID, before id: MessageID?) async throws -> Page<MessageSummary, MessageID>

    /// How far a message has come, if there is such a one.
    func status(of message: MessageID, app: AppID) async throws -> MessageStatus?

    /// Quarantined devices, ascending.
    func quarantine(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>
}

/// Rows of a data directory.
struct DirectoryRowSource: RowSource {
    let registry: LMDBRegistry

    private static let limit = 1_000

    func apps() throws -> [AppID]? { try registry.apps() }

    func devices(of app: AppID, from cursor: UInt64?) throws -> Page<Device, UInt64> {
        let page = try registry.devices(of: app, cursor: cursor ?? 0, limit: Self.limit)
        return Page(rows: page.devices, next: page.next == 0 ? nil : page.next)
    }

    func device(_ reference: DeviceReference, of app: AppID) throws -> Device? {
        try registry.device(reference, of: app)
    }

    func groups(of app: AppID, prefix: String, after name: GroupName?) throws -> Page<GroupSummary, GroupName> {
        let page = try registry.groups(of: app, prefix: prefix, after: name?.name ?? "", limit: Self.limit)
        let rows = page.rows.compactMap { row in
            GroupName(row.name).map {
                GroupSummary(group: $0, devices: Int(clamping: row.devices), isMuted: row.isMuted)
            }
        }
        return Page(rows: rows, next: page.next.flatMap { GroupName($0) })
    }

    func topics(of app: AppID, prefix: String, after name: TopicName?) throws -> Page<TopicSummary, TopicName> {
        let page = try registry.topics(of: app, prefix: prefix, after: name?.name ?? "", limit: Self.limit)
        let rows = page.rows.compactMap { row in
            TopicName(row.name).map { TopicSummary(topic: $0, devices: Int(clamping: row.devices)) }
        }
        return Page(rows: rows, next: page.next.flatMap { TopicName($0) })
    }

    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) throws -> Page<DeviceID, UInt64> {
        try page(registry.devices(in: .group(group), of: app, cursor: cursor ?? 0, limit: Self.limit))
    }

    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) throws -> Page<DeviceID, UInt64> {
        try page(registry.devices(in: .topic(topic), of: app, cursor: cursor ?? 0, limit: Self.limit))
    }

    func topics(of group: GroupName, app: AppID, after name: TopicName?) throws -> Page<TopicName, TopicName> {
        let page = try registry.topics(of: group, app: app, after: name?.name ?? "", limit: Self.limit)
        return Page(rows: page.rows.compactMap { TopicName($0.name) }, next: page.next.flatMap { TopicName($0) })
    }

    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) throws -> Memberships? {
        try registry.memberships(of: .id(id), app: app, after: name?.name ?? "", limit: Self.limit)
    }

    func messages(of app: AppID, before id: MessageID?) throws -> Page<MessageSummary, MessageID> {
        let rows = try registry.messages(of: app, before: id, limit: Self.limit)
        return Page(rows: rows, next: rows.count < Self.limit ? nil : rows.last?.id)
    }

    func status(of message: MessageID, app: AppID) throws -> MessageStatus? {
        try registry.status(of: message, app: app)
    }

    func quarantine(of app: AppID, from cursor: UInt64?) throws -> Page<DeviceID, UInt64> {
        try page(registry.quarantine(of: app, cursor: cursor ?? 0, limit: Self.limit))
    }

    private func page(_ page: DevicePage) -> Page<DeviceID, UInt64> {
        Page(rows: page.devices, next: page.next == 0 ? nil : page.next)
    }
}

/// Rows that a server gives.
struct ServerRowSource: RowSource {
    let client: CarillonClient

    func apps() -> [AppID]? { nil }

    func devices(of app: AppID, from cursor: UInt64?) async throws -> Page<Device, UInt64> {
        try await client.devices(of: app, from: cursor)
    }

    func device(_ reference: DeviceReference, of app: AppID) async throws -> Device? {
        try await found { () throws(CarillonError) in try await client.lookup(reference, app: app) }
    }

    func groups(of app: AppID, prefix: String, after name: GroupName?) async throws -> Page<GroupSummary, GroupName> {
        try await client.groups(of: app, prefix: prefix, after: name)
    }

    func topics(of app: AppID, prefix: String, after name: TopicName?) async throws -> Page<TopicSummary, TopicName> {
        try await client.topics(of: app, prefix: prefix, after: name)
    }

    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64> {
        try await client.devices(of: group, app: app, from: cursor)
    }

    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64> {
        try await client.devices(in: topic, app: app, from: cursor)
    }

    func topics(of group: GroupName, app: AppID, after name: TopicName?) async throws -> Page<TopicName, TopicName> {
        try await client.topics(of: group, app: app, after: name)
    }

    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) async throws -> Memberships? {
        try await found { () throws(CarillonError) in
            try await client.memberships(of: .id(id), app: app, after: name)
        }
    }

    func messages(of app: AppID, before id: MessageID?) async throws -> Page<MessageSummary, MessageID> {
        try await client.messages(of: app, before: id)
    }

    func status(of message: MessageID, app: AppID) async throws -> MessageStatus? {
        try await found { () throws(CarillonError) in try await client.status(of: message, app: app) }
    }

    func quarantine(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64> {
        try await client.quarantine(of: app, from: cursor)
    }

    /// What is asked for, unless the server says that there is none.
    private func found<Answer>(
        _ ask: () async throws(CarillonError) -> Answer
    ) async throws(CarillonError) -> Answer? {
        do throws(CarillonError) {
            return try await ask()
        } catch {
            guard error.code.server == .notFound else { throw error }
            return nil
        }
    }
}
