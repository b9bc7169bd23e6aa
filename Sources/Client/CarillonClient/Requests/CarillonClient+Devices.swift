import CarillonClock
public import CarillonCore
import CarillonTLS
import CarillonWire

/// Requests about devices: registrations, lookups, memberships and the quarantine.
extension CarillonClient {
    /// Registers a device, or renews its registration. The registration is durable when this returns.
    ///
    /// Without a time of its own (`seenAt` zero) the registration gets the current one, so that a repetition is the
    /// same request.
    public func register(_ registration: Registration) async throws(CarillonError) -> RegisterResult {
        let answer = try await request(registration.dated(Clock.wallTime()))
        return RegisterResult(id: answer.device, result: answer.result)
    }

    /// Registers many devices, in as few requests as the server allows; the answers are in the order of the batch.
    ///
    /// A refused item does not affect the others.
    public func register(_ batch: [Registration]) async -> [Result<RegisterResult, CarillonError>] {
        let now = Clock.wallTime()
        var results: [Result<RegisterResult, CarillonError>] = []
        results.reserveCapacity(batch.count)
        while results.count < batch.count {
            let rest = batch[results.count...]
            var items = rest.prefix(WireLimits.batchItems).map { $0.dated(now) }
            do throws(CarillonError) {
                items = try await serverInfo().fitting(items)
                results += try await registerAtOnce(items)
            } catch {
                results += Array(repeating: .failure(error), count: items.count)
                // An error of the server concerns this request alone; any other error would end the following ones too.
                guard error.code.server == nil else { continue }
                var untried = error
                untried.effect = .notExecuted
                results += Array(repeating: .failure(untried), count: batch.count - results.count)
            }
        }
        return results
    }

    private func registerAtOnce(
        _ items: [Registration]
    ) async throws(CarillonError) -> [Result<RegisterResult, CarillonError>] {
        let rows = try await request(RegisterBatchRequest(items))
        guard rows.count == items.count else { throw .mismatchedAnswer }
        return rows.enumerated().map { index, row in
            switch row {
            case .registered(let id, let result): .success(RegisterResult(id: id, result: result))
            case .refused(let code): .failure(CarillonError(refused: code, item: index))
            }
        }
    }

    /// Unregisters a device as of `time`, or of now; returns its id, or nil if it was not registered.
    ///
    /// After it returns no push to the device begins. It leaves a tombstone even for a token that was not registered:
    /// an older registration that comes late does not bring the device back.
    @discardableResult
    public func unregister(
        _ device: DeviceReference,
        app: AppID,
        at time: Timestamp? = nil
    ) async throws(CarillonError) -> DeviceID? {
        try await request(UnregisterRequest(app: app, device: device, at: time ?? Clock.wallTime()))
    }

    /// Returns the registration of a device; throws the server's `NOT_FOUND` for an unknown one.
    public func lookup(_ device: DeviceReference, app: AppID) async throws(CarillonError) -> DeviceRecord {
        try await request(LookupRequest(app: app, device: device))
    }

    /// Changes fields of a device, or mutes it; fields that `update` leaves out keep their value. Returns its id.
    ///
    /// An unknown device fails with the server's `NOT_FOUND`.
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

    /// Releases a device from quarantine, so that it gets pushes again; has no effect on another device. Returns its
    /// id.
    ///
    /// An unknown device fails with the server's `NOT_FOUND`.
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

extension ServerInfo {
    /// Returns the first of `items`, as many as one request may hold; at least one.
    fileprivate func fitting(_ items: [Registration]) -> [Registration] {
        var bytes = 64
        let count = items.prefix(batchLimit).prefix { item in
            bytes += item.maximumBytes
            return bytes <= frameLimit
        }.count
        return Array(items.prefix(max(count, 1)))
    }
}

extension Registration {
    /// Returns the same registration, with `time` if it has none of its own.
    fileprivate func dated(_ time: Timestamp) -> Registration {
        guard seenAt == .zero else { return self }
        var dated = self
        dated.seenAt = time
        return dated
    }

    /// An upper bound of the bytes that the registration takes in a batch.
    fileprivate var maximumBytes: Int {
        var bytes = 128 + app.name.utf8.count + address.token.bytes.count + (replaces?.bytes.count ?? 0)
        bytes += (locale?.utf8.count ?? 0) + (timeZone?.utf8.count ?? 0)
        for change in attributes { bytes += 4 + change.key.name.utf8.count + (change.value?.text.utf8.count ?? 0) }
        for topic in topics { bytes += 2 + topic.name.utf8.count }
        for group in groups { bytes += 2 + group.name.utf8.count }
        return bytes
    }
}

extension CarillonError {
    /// Makes the error of one item of a batch: the server sends only its code.
    fileprivate init(refused code: ErrorCode, item: Int) {
        let reason =
            switch code {
            case .stale: "something newer is stored"
            case .forbidden: "the role register is missing for this app"
            case .notFound: "the server does not serve this app"
            case .rateLimited: "the rate limit is reached"
            case .storageFull: "the disk is nearly full"
            case .malformed, .invalidArgument: "a field has a value that is not allowed"
            default: "refused"
            }
        let canHelp = code == .rateLimited || code == .overloaded || code == .storageFull
        self.init(
            .server(code),
            retryAfter: canHelp ? .seconds(1) : nil,
            item: UInt32(clamping: item),
            message: reason
        )
    }
}

extension Registration {
    /// Makes a registration of a browser: its token is the SHA-256 of the endpoint (Protocol 16.3).
    ///
    /// - Parameters:
    ///   - subscription: what the page got: `WebPushSubscription(json:)` reads `PushSubscription.toJSON()`.
    ///   - replaces: the endpoint of the subscription that this one replaces; nil if it replaces none.
    public init(
        app: AppID,
        subscription: WebPushSubscription,
        seenAt: Timestamp = .zero,
        replaces: String? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        topics: [TopicName] = [],
        groups: [GroupName] = []
    ) {
        self.init(
            app: app, address: DeviceAddress(browserAt: subscription.endpoint), seenAt: seenAt,
            replaces: replaces.map { DeviceAddress(browserAt: $0).token }, locale: locale, timeZone: timeZone,
            attributes: attributes, topics: topics, groups: groups, subscription: subscription)
    }
}

extension DeviceAddress {
    /// Makes the address of a browser with a push subscription.
    public init(browserAt endpoint: String) {
        guard let token = DeviceToken(SHA256.hash(Array(endpoint.utf8))) else {
            preconditionFailure("a digest is not a token")
        }
        self.init(environment: .production, kind: .web, token: token)
    }
}

/// The result of a registration.
public struct RegisterResult: Hashable, Sendable {
    /// The device's id: it stays the same when the app gets another token.
    public var id: DeviceID
    /// The effect of the registration.
    public var result: RegisterResultKind

    /// Makes a result as a server answers it, for tests of a program.
    public init(id: DeviceID, result: RegisterResultKind) {
        self.id = id
        self.result = result
    }
}
