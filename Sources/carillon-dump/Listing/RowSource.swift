import CarillonClient
import CarillonCore

/// The source of rows: a data directory or a server. Every call is one short read.
protocol RowSource {
    /// The apps; nil if the source cannot list them.
    func apps() async throws -> [AppID]?

    /// Devices of an app, active and quarantined, ascending.
    func devices(of app: AppID, from cursor: UInt64?) async throws -> Page<Device, UInt64>

    /// A device, if it is registered.
    func device(_ reference: DeviceReference, of app: AppID) async throws -> Device?

    /// Groups of an app whose names begin with `prefix`, ascending.
    func groups(of app: AppID, prefix: String, after name: GroupName?) async throws -> Page<GroupSummary, GroupName>

    /// Topics of an app whose names begin with `prefix`, ascending.
    func topics(of app: AppID, prefix: String, after name: TopicName?) async throws -> Page<TopicSummary, TopicName>

    /// Devices of a group, ascending.
    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>

    /// Devices in a topic, ascending.
    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>

    /// Topics of a group, ascending.
    func topics(of group: GroupName, app: AppID, after name: TopicName?) async throws -> Page<TopicName, TopicName>

    /// Groups of a device, and a page of its topics with their sources; nil if it is not registered.
    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) async throws -> Memberships?

    /// Messages of an app before `id`, the newest first.
    func messages(of app: AppID, before id: MessageID?) async throws -> Page<MessageSummary, MessageID>

    /// The status of a message; nil if there is no such message.
    func status(of message: MessageID, app: AppID) async throws -> MessageStatus?

    /// Quarantined devices, ascending.
    func quarantine(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>
}

/// The first rows of a listing, read page by page; all rows without a limit.
func collectRows<Row, Cursor>(
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
