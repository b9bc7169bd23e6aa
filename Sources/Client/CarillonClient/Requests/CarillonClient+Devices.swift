import CarillonClock
public import CarillonCore
import CarillonWire

/// Requests about registered devices: lookups, updates, memberships and the quarantine.
extension CarillonClient {
    /// Unregisters a device as of `time`, or of now; returns its id, or nil if it was not registered.
    ///
    /// Once this returns, no new push to the device begins. The server remembers the time even if the token was not
    /// registered, so that an older registration that arrives late does not bring the device back.
    @discardableResult
    public func unregister(
        _ device: DeviceReference,
        app: AppID,
        at time: Timestamp? = nil
    ) async throws(CarillonError) -> DeviceID? {
        try await request(UnregisterRequest(app: app, device: device, at: time ?? Clock.wallTime()))
    }

    /// Returns the registration of a device; throws `.notFound` for an unknown one.
    public func lookup(_ device: DeviceReference, app: AppID) async throws(CarillonError) -> DeviceRecord {
        try await request(LookupRequest(app: app, device: device))
    }

    /// Changes fields of a device, or mutes it, and returns its id. Fields that `update` leaves out keep their values.
    ///
    /// An unknown device fails with `.notFound`.
    @discardableResult
    public func update(
        _ device: DeviceReference,
        app: AppID,
        with update: DeviceUpdate
    ) async throws(CarillonError) -> DeviceID {
        let change = UpdateDeviceRequest(app: app, device: device, update: update)
        return try await request(change)
    }

    /// Returns the groups of a device, and one page of its topics with their sources. The page has at most `limit` (1
    /// to 1,000) rows after `cursor`, and more if one topic has more sources.
    public func memberships(
        of device: DeviceReference,
        app: AppID,
        after cursor: TopicName? = nil,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Memberships {
        let query = MembershipsRequest(
            app: app,
            device: device,
            after: cursor?.name ?? "",
            limit: Self.pageLimit(limit)
        )
        return try await request(query)
    }

    /// Returns the topics of a device with their sources, ascending; fetched as they are consumed.
    public func topics(of device: DeviceReference, app: AppID) -> Listing<Memberships.TopicMembership, TopicName> {
        Listing { cursor throws(CarillonError) in
            let page = try await self.memberships(of: device, app: app, after: cursor)
            return Page(rows: page.topics, next: page.next)
        }
    }

    /// Releases a device from quarantine, so that it gets pushes again, and returns its id. Has no effect on a device
    /// that is not in quarantine.
    ///
    /// An unknown device fails with `.notFound`.
    @discardableResult
    public func restore(_ device: DeviceReference, app: AppID) async throws(CarillonError) -> DeviceID {
        let restoration = RestoreRequest(app: app, device: device)
        return try await request(restoration)
    }

    /// Returns one page of the devices in quarantine, whose tokens the provider has declared dead: at most `limit` (1
    /// to 1,000) from `cursor` on.
    public func quarantinedDevices(
        of app: AppID,
        from cursor: UInt64?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<DeviceID, UInt64> {
        let query = QuarantineRequest(app: app, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(page)
    }

    /// Returns the devices in quarantine, ascending; fetched as they are consumed.
    public func quarantinedDevices(of app: AppID) -> Listing<DeviceID, UInt64> {
        Listing { cursor throws(CarillonError) in try await self.quarantinedDevices(of: app, from: cursor) }
    }
}
