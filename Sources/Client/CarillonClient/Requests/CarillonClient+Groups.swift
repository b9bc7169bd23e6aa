public import CarillonCore
import CarillonWire

/// Requests about groups: their devices and their topics.
extension CarillonClient {
    /// Adds devices to a group, for example when a user signs in. From then on they get messages to the group's topics.
    ///
    /// - Parameters:
    ///   - devices: at most `ServerInfo.batchLimit`. Devices that are not registered do not affect the others.
    ///   - announcement: the alert for the group's other devices, sent if at least one device was not in the group
    ///     before. Needs the role `send` as well.
    @discardableResult
    public func join(
        _ group: GroupName,
        devices: [DeviceReference],
        app: AppID,
        announcing announcement: Announcement? = nil
    ) async throws(CarillonError) -> JoinResult {
        let join = JoinRequest(app: app, group: group, devices: devices, announcement: announcement?.content(app))
        let answer = try await request(join)
        return JoinResult(
            joined: Int(answer.joined),
            announcement: answer.announcement,
            unknown: answer.unknown.map { Int($0) }
        )
    }

    /// Removes devices from a group, for example when a user signs out. They lose at once the topics that they had only
    /// through the group.
    ///
    /// - Parameters:
    ///   - devices: at most `ServerInfo.batchLimit`. Devices that are not registered do not affect the others.
    ///   - clearingTopics: true if the devices' own subscriptions end as well.
    @discardableResult
    public func leave(
        _ group: GroupName,
        devices: [DeviceReference],
        app: AppID,
        clearingTopics: Bool = false
    ) async throws(CarillonError) -> LeaveResult {
        let leave = LeaveRequest(app: app, group: group, devices: devices, clearsTopics: clearingTopics)
        let answer = try await request(leave)
        return LeaveResult(answer)
    }

    /// Moves a device from one group to another in one step, for example when a player switches characters.
    ///
    /// The device joins `to` even if it was not in `from`. Throws `.notFound` for an unknown device.
    @discardableResult
    public func switchGroup(
        of device: DeviceReference,
        from: GroupName,
        to: GroupName,
        app: AppID,
        announcing announcement: Announcement? = nil
    ) async throws(CarillonError) -> SwitchGroupResult {
        let change = SwitchGroupRequest(
            app: app,
            device: device,
            from: from,
            to: to,
            announcement: announcement?.content(app)
        )
        let answer = try await request(change)
        return SwitchGroupResult(
            device: answer.device,
            hasLeft: answer.changes.contains(.left),
            hasJoined: answer.changes.contains(.joined),
            announcement: answer.announcement
        )
    }

    /// Mutes or unmutes a group, and returns the number of its devices. The group need not have any devices yet.
    @discardableResult
    public func setMuted(_ isMuted: Bool, group: GroupName, app: AppID) async throws(CarillonError) -> Int {
        let update = UpdateGroupRequest(app: app, group: group, isMuted: isMuted)
        let devices = try await request(update)
        return Int(clamping: devices)
    }

    /// Returns one page of the groups whose names begin with `prefix`, ascending: at most `limit` (1 to 1,000) after
    /// `cursor`.
    public func groups(
        of app: AppID,
        prefix: String = "",
        after cursor: GroupName?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<GroupSummary, GroupName> {
        let query = GroupsRequest(app: app, prefix: prefix, after: cursor?.name ?? "", limit: Self.pageLimit(limit))
        let page = try await request(query)
        let rows = page.rows.compactMap { row in
            GroupName(row.name).map {
                GroupSummary(group: $0, devices: Int(clamping: row.devices), isMuted: row.isMuted)
            }
        }
        return Page(rows: rows, next: page.next.flatMap { GroupName($0) })
    }

    /// Returns the groups whose names begin with `prefix`, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await group in client.groups(of: app, prefix: "guild/") { print(group.group, group.devices) }
    /// ```
    public func groups(of app: AppID, prefix: String = "") -> Listing<GroupSummary, GroupName> {
        Listing { cursor throws(CarillonError) in try await self.groups(of: app, prefix: prefix, after: cursor) }
    }

    /// Returns one page of the devices of a group: at most `limit` (1 to 1,000) from `cursor` on. An unknown group has
    /// none.
    public func devices(
        of group: GroupName,
        app: AppID,
        from cursor: UInt64?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<DeviceID, UInt64> {
        let query = GroupDevicesRequest(app: app, group: group, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(page)
    }

    /// Returns the devices of a group, ascending; fetched as they are consumed.
    public func devices(of group: GroupName, app: AppID) -> Listing<DeviceID, UInt64> {
        Listing { cursor throws(CarillonError) in try await self.devices(of: group, app: app, from: cursor) }
    }

    /// Returns one page of the topics that a group is subscribed to, ascending: at most `limit` (1 to 1,000) after
    /// `cursor`.
    public func topics(
        of group: GroupName,
        app: AppID,
        after cursor: TopicName?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<TopicName, TopicName> {
        let query = GroupTopicsRequest(
            app: app,
            group: group,
            after: cursor?.name ?? "",
            limit: Self.pageLimit(limit)
        )
        let page = try await request(query)
        return Page(rows: page.topics, next: page.next.flatMap { TopicName($0) })
    }

    /// Returns the topics that a group is subscribed to, ascending; fetched as they are consumed.
    public func topics(of group: GroupName, app: AppID) -> Listing<TopicName, TopicName> {
        Listing { cursor throws(CarillonError) in try await self.topics(of: group, app: app, after: cursor) }
    }
}

/// The alert that the *other* devices of a group get when a device joins: "new sign-in on iPhone". It is sent at once.
public struct Announcement: Hashable, Sendable {
    /// The payloads by language.
    public var payload: LocalizedPayload

    /// Makes an announcement in several languages.
    public init(_ payload: LocalizedPayload) {
        self.payload = payload
    }

    /// Makes an announcement of a JSON object, which APNs gets byte for byte, and FCM and browsers in their form.
    public init(payload: [UInt8]) {
        self.payload = LocalizedPayload(payload: payload, bodies: [])
    }

    /// Makes an announcement of a notification and its translations, as `PushNotification.localized(_:hasDefault:for:)`
    /// takes them.
    ///
    /// - Throws: a fault that names the field.
    public init(
        _ notification: PushNotification,
        translations: [String: PushNotification.Alert] = [:]
    ) throws(MessageError) {
        payload = try notification.localized(translations)
    }

    /// Returns the content as the server gets it.
    func content(_ app: AppID) -> MessageContent {
        MessageContent(app: app, localized: payload)
    }
}

/// The result of joining a group.
public struct JoinResult: Hashable, Sendable {
    /// The number of devices that were not in the group before.
    public var joined: Int
    /// The announcement that was accepted; nil if there was no announcement to send.
    public var announcement: MessageID?
    /// The indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(joined: Int, announcement: MessageID? = nil, unknown: [Int] = []) {
        self.joined = joined
        self.announcement = announcement
        self.unknown = unknown
    }
}

/// The result of leaving a group.
public struct LeaveResult: Hashable, Sendable {
    /// The number of devices that left the group.
    public var left: Int
    /// The indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(left: Int, unknown: [Int] = []) {
        self.left = left
        self.unknown = unknown
    }

    init(_ answer: MembershipChangeAnswer) {
        self.init(left: Int(answer.changed), unknown: answer.unknown.map { Int($0) })
    }
}

/// The result of moving a device from one group to another.
public struct SwitchGroupResult: Hashable, Sendable {
    /// The device that has changed its group.
    public var device: DeviceID
    /// True if the device was in the group that it left.
    public var hasLeft: Bool
    /// True if the device was not yet in the group that it joined.
    public var hasJoined: Bool
    /// The announcement that was accepted; nil if there was no announcement to send.
    public var announcement: MessageID?

    /// Makes a result as a server answers it, for tests of a program.
    public init(device: DeviceID, hasLeft: Bool, hasJoined: Bool, announcement: MessageID? = nil) {
        self.device = device
        self.hasLeft = hasLeft
        self.hasJoined = hasJoined
        self.announcement = announcement
    }
}
