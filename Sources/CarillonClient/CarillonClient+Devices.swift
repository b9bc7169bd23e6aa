public import CarillonCore
import CarillonWire

extension CarillonClient {
    /// Registers a device, or renews its registration. Durable when it returns.
    ///
    /// Without a time of its own (`seenAt` zero) the registration gets the current one, so that a repetition is the same
    /// request.
    public func register(_ registration: Registration) async throws(CarillonError) -> RegisteredDevice {
        let request = Request.register(registration.dated(.current))
        guard case .registered(let id, let result) = try await self.request(request) else { throw .unfit }
        return RegisteredDevice(id: id, result: result)
    }

    /// Registers many devices, in as few requests as the server allows; the answers are in the order of the batch.
    ///
    /// An item that is refused does not touch the others.
    public func register(_ batch: [Registration]) async -> [Result<RegisteredDevice, CarillonError>] {
        let now = Timestamp.current
        var results: [Result<RegisteredDevice, CarillonError>] = []
        results.reserveCapacity(batch.count)
        while results.count < batch.count {
            let rest = batch[results.count...]
            var items = rest.prefix(WireLimits.batch).map { $0.dated(now) }
            do throws(CarillonError) {
                items = try await serverInformation.fitting(items)
                results += try await registerAtOnce(items)
            } catch {
                results += Array(repeating: .failure(error), count: items.count)
                // The server has judged this request only; anything else would befall the others too.
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
    ) async throws(CarillonError) -> [Result<RegisteredDevice, CarillonError>] {
        let answer = try await request(.registerBatch(items.map { .success($0) }))
        guard case .registeredBatch(let rows) = answer, rows.count == items.count else { throw .unfit }
        return rows.enumerated().map { index, row in
            switch row {
            case .registered(let id, let result): .success(RegisteredDevice(id: id, result: result))
            case .refused(let code): .failure(CarillonError(refused: code, item: index))
            }
        }
    }

    /// Unregisters a device as of `time`, or of now; answers its id, or nil if it was not registered.
    ///
    /// After it returns no push to the device begins. A token that was not registered leaves its trace all the same: a
    /// registration that comes late does not bring it back.
    @discardableResult
    public func unregister(
        _ device: DeviceReference,
        app: AppID,
        at time: Timestamp? = nil
    ) async throws(CarillonError) -> DeviceID? {
        let request = Request.unregister(Unregistration(app: app, device: device, at: time ?? .current))
        guard case .unregistered(let id) = try await self.request(request) else { throw .unfit }
        return id
    }

    /// What the registry knows of a device; an unknown one fails with the server's `NOT_FOUND`.
    public func lookup(_ device: DeviceReference, app: AppID) async throws(CarillonError) -> Device {
        guard case .device(let device) = try await request(.lookup(Lookup(app: app, device: device))) else {
            throw .unfit
        }
        return device
    }

    /// Changes fields of a device, or mutes it; what `update` leaves out stays. Answers its id.
    ///
    /// An unknown device fails with the server's `NOT_FOUND`.
    @discardableResult
    public func update(
        _ device: DeviceReference,
        app: AppID,
        _ update: DeviceUpdate
    ) async throws(CarillonError) -> DeviceID {
        let change = DeviceChange(app: app, device: device, update: update)
        guard case .updated(let id) = try await request(.updateDevice(change)) else { throw .unfit }
        return id
    }

    /// The groups of a device, and one page of its topics with who holds each: at most `limit` (1 to 1,000) after
    /// `cursor`, and more if one topic is held that often.
    public func memberships(
        of device: DeviceReference,
        app: AppID,
        after cursor: TopicName? = nil,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Memberships {
        let query = MembershipsQuery(
            app: app,
            device: device,
            after: cursor?.name ?? "",
            limit: Self.pageLimit(limit)
        )
        guard case .memberships(let memberships) = try await request(.memberships(query)) else { throw .unfit }
        return memberships
    }

    /// The topics of a device with who holds each, ascending; fetched as they are consumed.
    public func topics(of device: DeviceReference, app: AppID) -> Listing<Memberships.Holding, TopicName> {
        Listing { cursor throws(CarillonError) in
            let page = try await self.memberships(of: device, app: app, after: cursor)
            return Page(rows: page.topics, next: page.next)
        }
    }

    /// Takes a device out of quarantine, so that it gets pushes again; harmless if it is in none. Answers its id.
    ///
    /// An unknown device fails with the server's `NOT_FOUND`.
    @discardableResult
    public func restore(_ device: DeviceReference, app: AppID) async throws(CarillonError) -> DeviceID {
        let restoration = DeviceRestoration(app: app, device: device)
        guard case .restored(let id) = try await request(.restore(restoration)) else { throw .unfit }
        return id
    }

    /// One page of the devices in quarantine, whose tokens APNs has declared dead: at most `limit` (1 to 1,000) from
    /// `cursor` on.
    public func quarantine(
        of app: AppID,
        from cursor: UInt64?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<DeviceID, UInt64> {
        let query = QuarantineQuery(app: app, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        guard case .quarantine(let page) = try await request(.quarantine(query)) else { throw .unfit }
        return Page(page)
    }

    /// The devices in quarantine, ascending; fetched as they are consumed.
    public func quarantine(of app: AppID) -> Listing<DeviceID, UInt64> {
        Listing { cursor throws(CarillonError) in try await self.quarantine(of: app, from: cursor) }
    }
}

extension ServerInformation {
    /// The first of `items`, as many as one request may hold; at least one.
    fileprivate func fitting(_ items: [Registration]) -> [Registration] {
        var bytes = 64
        let count = items.prefix(batchLimit).prefix { item in
            bytes += item.mostBytes
            return bytes <= frameLimit
        }.count
        return Array(items.prefix(max(count, 1)))
    }
}

extension Registration {
    /// The same registration; with `time`, if it has none.
    fileprivate func dated(_ time: Timestamp) -> Registration {
        guard seenAt == .zero else { return self }
        var dated = self
        dated.seenAt = time
        return dated
    }

    /// No fewer bytes than it has in a batch.
    fileprivate var mostBytes: Int {
        var bytes = 128 + app.name.utf8.count + address.token.bytes.count + (replaces?.bytes.count ?? 0)
        bytes += (locale?.utf8.count ?? 0) + (timeZone?.utf8.count ?? 0)
        for change in attributes { bytes += 4 + change.key.name.utf8.count + (change.value?.text.utf8.count ?? 0) }
        for topic in topics { bytes += 2 + topic.name.utf8.count }
        for group in groups { bytes += 2 + group.name.utf8.count }
        return bytes
    }
}

extension CarillonError {
    /// What a batch says of one item: a code and no more.
    fileprivate init(refused code: ErrorCode, item: Int) {
        let reason =
            switch code {
            case .stale: "something newer is stored"
            case .forbidden: "the role register is missing for this app"
            case .notFound: "the server does not serve this app"
            case .rateLimited: "the budget is spent"
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
