public import CarillonCore

/// Devices, groups and topics of the app: each method is the one of `CarillonClient` with that name, for this app.
extension AppClient {
    /// Registers many devices of the app, in as few requests as the server allows. The results are in the order of the
    /// batch. The app of each registration is replaced by this app.
    ///
    /// ```swift
    /// let batch = tokens.map { token in
    ///     Registration(app: game.app, address: DeviceAddress(environment: .production, kind: .device, token: token))
    /// }
    /// for (registration, result) in zip(batch, await game.register(batch)) {
    ///     if case .failure(let error) = result { print(registration.address.token, "was refused:", error) }
    /// }
    /// ```
    public func register(_ batch: [Registration]) async -> [Result<RegisterResult, CarillonError>] {
        await client.register(
            batch.map { registration in
                var registration = registration
                registration.app = app
                return registration
            })
    }

    /// Unregisters a device as of `time`, or of now; returns its id, or nil if it was not registered.
    ///
    /// ```swift
    /// if try await game.unregister(.id(phone.id)) == nil { print("the device was not registered") }
    /// ```
    @discardableResult
    public func unregister(
        _ device: DeviceReference, at time: Timestamp? = nil
    ) async throws(CarillonError) -> DeviceID? {
        try await client.unregister(device, app: app, at: time)
    }

    /// Returns the registration of a device; throws `.notFound` for an unknown one.
    ///
    /// ```swift
    /// let device = try await game.lookup(.id(phone.id))
    /// print(device.platform, device.locale ?? "no locale", device.isMuted ? "muted" : "not muted")
    /// ```
    public func lookup(_ device: DeviceReference) async throws(CarillonError) -> DeviceRecord {
        try await client.lookup(device, app: app)
    }

    /// Changes fields of a device, or mutes it. Returns its id.
    ///
    /// ```swift
    /// try await game.update(.id(phone.id), with: DeviceUpdate(locale: "de-AT", isMuted: false))
    /// ```
    @discardableResult
    public func update(_ device: DeviceReference, with update: DeviceUpdate) async throws(CarillonError) -> DeviceID {
        try await client.update(device, app: app, with: update)
    }

    /// Returns the groups of a device, and one page of its topics with their sources.
    ///
    /// ```swift
    /// let memberships = try await game.memberships(of: .id(phone.id))
    /// for row in memberships.groups { print("in the group", row.group) }
    /// ```
    public func memberships(
        of device: DeviceReference, after cursor: TopicName? = nil, limit: Int = 1_000
    ) async throws(CarillonError) -> Memberships {
        try await client.memberships(of: device, app: app, after: cursor, limit: limit)
    }

    /// Returns the topics of a device with their sources, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await row in game.topics(of: .id(phone.id)) where row.source == nil { print("subscribed:", row.topic) }
    /// ```
    public func topics(of device: DeviceReference) -> Listing<Memberships.TopicMembership, TopicName> {
        client.topics(of: device, app: app)
    }

    /// Releases a device from quarantine. Returns its id.
    ///
    /// ```swift
    /// try await game.restore(.id(phone.id))
    /// ```
    @discardableResult
    public func restore(_ device: DeviceReference) async throws(CarillonError) -> DeviceID {
        try await client.restore(device, app: app)
    }

    /// Returns the devices in quarantine, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await device in game.quarantinedDevices() { print("dead token:", device) }
    /// ```
    public func quarantinedDevices() -> Listing<DeviceID, UInt64> { client.quarantinedDevices(of: app) }

    /// Returns all devices of the app, ascending by id; fetched as they are consumed. Needs the role `admin`.
    ///
    /// ```swift
    /// for try await device in game.devices() where device.locale == nil { print("no locale:", device.id) }
    /// ```
    public func devices() -> Listing<DeviceRecord, UInt64> { client.devices(of: app) }

    /// Adds devices to a group, for example when a user signs in.
    ///
    /// ```swift
    /// let account = GroupName("user/42")!
    /// let result = try await game.join(account, devices: [.id(phone.id)])
    /// if result.joined == 0 { print("the device was in the group already") }
    /// ```
    @discardableResult
    public func join(
        _ group: GroupName, devices: [DeviceReference], announcing announcement: Announcement? = nil
    ) async throws(CarillonError) -> JoinResult {
        try await client.join(group, devices: devices, app: app, announcing: announcement)
    }

    /// Removes devices from a group, for example when a user signs out.
    ///
    /// ```swift
    /// try await game.leave(account, devices: [.id(phone.id)], clearingTopics: true)
    /// ```
    @discardableResult
    public func leave(
        _ group: GroupName, devices: [DeviceReference], clearingTopics: Bool = false
    ) async throws(CarillonError) -> LeaveResult {
        try await client.leave(group, devices: devices, app: app, clearingTopics: clearingTopics)
    }

    /// Moves a device from one group to another in one step.
    ///
    /// ```swift
    /// try await game.switchGroup(of: .id(phone.id), from: GroupName("hero/1")!, to: GroupName("hero/2")!)
    /// ```
    @discardableResult
    public func switchGroup(
        of device: DeviceReference, from: GroupName, to: GroupName, announcing announcement: Announcement? = nil
    ) async throws(CarillonError) -> SwitchGroupResult {
        try await client.switchGroup(of: device, from: from, to: to, app: app, announcing: announcement)
    }

    /// Mutes or unmutes a group; returns the number of its devices.
    ///
    /// ```swift
    /// let devices = try await game.setMuted(true, group: account)
    /// print(devices, "devices are muted")
    /// ```
    @discardableResult
    public func setMuted(_ isMuted: Bool, group: GroupName) async throws(CarillonError) -> Int {
        try await client.setMuted(isMuted, group: group, app: app)
    }

    /// Returns the groups whose names begin with `prefix`, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await group in game.groups(prefix: "guild/") where group.isMuted { print(group.group) }
    /// ```
    public func groups(prefix: String = "") -> Listing<GroupSummary, GroupName> {
        client.groups(of: app, prefix: prefix)
    }

    /// Returns the devices of a group, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await device in game.devices(of: account) { print(device) }
    /// ```
    public func devices(of group: GroupName) -> Listing<DeviceID, UInt64> { client.devices(of: group, app: app) }

    /// Returns the topics that a group is subscribed to, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await topic in game.topics(of: account) { print(topic) }
    /// ```
    public func topics(of group: GroupName) -> Listing<TopicName, TopicName> { client.topics(of: group, app: app) }

    /// Subscribes devices and groups to topics.
    ///
    /// ```swift
    /// let raids = TopicName("raids")!
    /// let result = try await game.subscribe(to: [raids], devices: [.id(phone.id)], groups: [GroupName("guild/7")!])
    /// print(result.changed, "new subscriptions")
    /// ```
    @discardableResult
    public func subscribe(
        to topics: [TopicName], devices: [DeviceReference] = [], groups: [GroupName] = []
    ) async throws(CarillonError) -> SubscribeResult {
        try await client.subscribe(to: topics, devices: devices, groups: groups, app: app)
    }

    /// Ends subscriptions of devices and groups.
    ///
    /// ```swift
    /// try await game.unsubscribe(from: [TopicName("raids")!], devices: [.id(phone.id)])
    /// ```
    @discardableResult
    public func unsubscribe(
        from topics: [TopicName], devices: [DeviceReference] = [], groups: [GroupName] = []
    ) async throws(CarillonError) -> SubscribeResult {
        try await client.unsubscribe(from: topics, devices: devices, groups: groups, app: app)
    }

    /// Returns the topics whose names begin with `prefix`, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await topic in game.topics(prefix: "raids") { print(topic.topic, topic.devices) }
    /// ```
    public func topics(prefix: String = "") -> Listing<TopicSummary, TopicName> {
        client.topics(of: app, prefix: prefix)
    }

    /// Returns the devices in a topic, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// let devices = try await game.devices(in: TopicName("raids")!).reduce(0) { count, _ in count + 1 }
    /// ```
    public func devices(in topic: TopicName) -> Listing<DeviceID, UInt64> { client.devices(in: topic, app: app) }

    /// Returns the canonical form of a condition, the number of devices that match it now, and the number for each of
    /// its terms.
    ///
    /// ```swift
    /// let explanation = try await game.explain(Condition("'raids' in topics && locale == 'de'"))
    /// print(explanation.condition, "matches", explanation.devices, "devices")
    /// ```
    public func explain(_ condition: Condition) async throws(CarillonError) -> Explanation {
        try await client.explain(condition, app: app)
    }
}
