import CarillonClient
import CarillonCore
import CarillonRegistry

/// The rows of a data directory, read page by page from its registry.
struct DirectoryRowSource: RowSource {
    let registry: LMDBRegistry

    private static let rowsPerPage = 1_000

    func apps() throws -> [AppID]? { try registry.apps() }

    func devices(of app: AppID, from cursor: UInt64?) throws -> Page<DeviceRecord, UInt64> {
        let page = try registry.devices(of: app, cursor: cursor ?? 0, limit: Self.rowsPerPage)
        return Page(rows: page.devices, next: page.next == 0 ? nil : page.next)
    }

    func device(_ reference: DeviceReference, of app: AppID) throws -> DeviceRecord? {
        try registry.device(reference, of: app)
    }

    func groups(of app: AppID, prefix: String, after name: GroupName?) throws -> Page<GroupSummary, GroupName> {
        let page = try registry.groups(of: app, prefix: prefix, after: name?.name ?? "", limit: Self.rowsPerPage)
        let rows = page.rows.compactMap { row in
            GroupName(row.name).map {
                GroupSummary(group: $0, devices: Int(clamping: row.devices), isMuted: row.isMuted)
            }
        }
        return Page(rows: rows, next: page.next.flatMap { GroupName($0) })
    }

    func topics(of app: AppID, prefix: String, after name: TopicName?) throws -> Page<TopicSummary, TopicName> {
        let page = try registry.topics(of: app, prefix: prefix, after: name?.name ?? "", limit: Self.rowsPerPage)
        let rows = page.rows.compactMap { row in
            TopicName(row.name).map { TopicSummary(topic: $0, devices: Int(clamping: row.devices)) }
        }
        return Page(rows: rows, next: page.next.flatMap { TopicName($0) })
    }

    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) throws -> Page<DeviceID, UInt64> {
        try page(registry.devices(in: .group(group), of: app, cursor: cursor ?? 0, limit: Self.rowsPerPage))
    }

    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) throws -> Page<DeviceID, UInt64> {
        try page(registry.devices(in: .topic(topic), of: app, cursor: cursor ?? 0, limit: Self.rowsPerPage))
    }

    func topics(of group: GroupName, app: AppID, after name: TopicName?) throws -> Page<TopicName, TopicName> {
        let page = try registry.topics(of: group, app: app, after: name?.name ?? "", limit: Self.rowsPerPage)
        return Page(rows: page.rows.compactMap { TopicName($0.name) }, next: page.next.flatMap { TopicName($0) })
    }

    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) throws -> Memberships? {
        try registry.memberships(of: .id(id), app: app, after: name?.name ?? "", limit: Self.rowsPerPage)
    }

    func messages(of app: AppID, before id: MessageID?) throws -> Page<MessageSummary, MessageID> {
        let page = try registry.messages(of: app, before: id, limit: Self.rowsPerPage)
        return Page(rows: page.rows, next: page.next)
    }

    func status(of message: MessageID, app: AppID) throws -> MessageStatus? {
        try registry.status(of: message, app: app)
    }

    func quarantinedDevices(of app: AppID, from cursor: UInt64?) throws -> Page<DeviceID, UInt64> {
        try page(registry.quarantinedDevices(of: app, cursor: cursor ?? 0, limit: Self.rowsPerPage))
    }

    private func page(_ page: DeviceIDPage) -> Page<DeviceID, UInt64> {
        Page(rows: page.devices, next: page.next == 0 ? nil : page.next)
    }
}
