import CarillonClient
import CarillonCore

/// A source of rows: a data directory or a server. Every call is one short read.
protocol RowSource {
    /// Returns the apps; nil if the source cannot list them.
    func apps() async throws -> [AppID]?

    /// Returns a page of the devices of an app, active and quarantined, ascending.
    func devices(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceRecord, UInt64>

    /// Returns a device; nil if it is not registered.
    func device(_ reference: DeviceReference, of app: AppID) async throws -> DeviceRecord?

    /// Returns a page of the groups of an app whose names begin with `prefix`, ascending.
    func groups(of app: AppID, prefix: String, after name: GroupName?) async throws -> Page<GroupSummary, GroupName>

    /// Returns a page of the topics of an app whose names begin with `prefix`, ascending.
    func topics(of app: AppID, prefix: String, after name: TopicName?) async throws -> Page<TopicSummary, TopicName>

    /// Returns a page of the devices of a group, ascending.
    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>

    /// Returns a page of the devices in a topic, ascending.
    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>

    /// Returns a page of the topics of a group, ascending.
    func topics(of group: GroupName, app: AppID, after name: TopicName?) async throws -> Page<TopicName, TopicName>

    /// Returns the groups of a device, and a page of its topics with their sources; nil if the device is not
    /// registered.
    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) async throws -> Memberships?

    /// Returns a page of the messages of an app before `id`, the newest first.
    func messages(of app: AppID, before id: MessageID?) async throws -> Page<MessageSummary, MessageID>

    /// Returns the status of a message; nil if the app has no such message.
    func status(of message: MessageID, app: AppID) async throws -> MessageStatus?

    /// Returns a page of the quarantined devices, ascending.
    func quarantinedDevices(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64>
}

/// Reads the first rows of a listing, page by page; all rows without a limit.
func collectRows<Row, Cursor>(
    limit: Int = .max, _ page: (Cursor?) async throws -> Page<Row, Cursor>
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
