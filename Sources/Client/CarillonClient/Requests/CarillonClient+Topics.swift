public import CarillonCore
import CarillonWire

/// Requests about topics and conditions.
extension CarillonClient {
    /// Subscribes devices and groups to topics. The devices of a group have its topics for as long as they are in the
    /// group.
    ///
    /// - Parameters:
    ///   - topics: at most 1,000. The number of topics times the number of devices and groups is at most 10,000.
    ///   - devices: at most `ServerInfo.batchLimit`. Devices that are not registered do not affect the others.
    ///   - groups: at most `ServerInfo.batchLimit`.
    @discardableResult
    public func subscribe(
        to topics: [TopicName],
        devices: [DeviceReference] = [],
        groups: [GroupName] = [],
        app: AppID
    ) async throws(CarillonError) -> SubscribeResult {
        let subscription = TopicSubscription(app: app, topics: topics, devices: devices, groups: groups)
        let answer = try await request(SubscribeRequest(subscription))
        return SubscribeResult(answer)
    }

    /// Ends subscriptions of devices and groups; limits as for `subscribe`.
    ///
    /// A device stays in a topic as long as it has another source: its own subscription, or one of its groups.
    @discardableResult
    public func unsubscribe(
        from topics: [TopicName],
        devices: [DeviceReference] = [],
        groups: [GroupName] = [],
        app: AppID
    ) async throws(CarillonError) -> SubscribeResult {
        let subscription = TopicSubscription(app: app, topics: topics, devices: devices, groups: groups)
        let answer = try await request(UnsubscribeRequest(subscription))
        return SubscribeResult(answer)
    }

    /// Returns one page of the topics whose names begin with `prefix`, ascending: at most `limit` (1 to 1,000) after
    /// `cursor`.
    public func topics(
        of app: AppID,
        prefix: String = "",
        after cursor: TopicName?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<TopicSummary, TopicName> {
        let query = TopicsRequest(app: app, prefix: prefix, after: cursor?.name ?? "", limit: Self.pageLimit(limit))
        let page = try await request(query)
        let rows = page.rows.compactMap { row in
            TopicName(row.name).map { TopicSummary(topic: $0, devices: Int(clamping: row.devices)) }
        }
        return Page(rows: rows, next: page.next.flatMap { TopicName($0) })
    }

    /// Returns the topics whose names begin with `prefix`, ascending; fetched as they are consumed.
    public func topics(of app: AppID, prefix: String = "") -> Listing<TopicSummary, TopicName> {
        Listing { cursor throws(CarillonError) in try await self.topics(of: app, prefix: prefix, after: cursor) }
    }

    /// Returns one page of the devices in a topic: at most `limit` (1 to 1,000) from `cursor` on. An unknown topic has
    /// none.
    public func devices(
        in topic: TopicName,
        app: AppID,
        from cursor: UInt64?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<DeviceID, UInt64> {
        let query = TopicDevicesRequest(app: app, topic: topic, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(page)
    }

    /// Returns the devices in a topic, ascending; fetched as they are consumed.
    public func devices(in topic: TopicName, app: AppID) -> Listing<DeviceID, UInt64> {
        Listing { cursor throws(CarillonError) in try await self.devices(in: topic, app: app, from: cursor) }
    }

    /// Returns the canonical form of a condition, the number of devices that match it now, and the number for each of
    /// its terms.
    public func explain(_ condition: Condition, app: AppID) async throws(CarillonError) -> Explanation {
        let query = ExplainRequest(app: app, condition: condition)
        return try await request(query)
    }
}

/// The result of subscribing or unsubscribing.
public struct SubscribeResult: Hashable, Sendable {
    /// The number of subscriptions that are new, or have ended: one for each topic and each device or group of the
    /// call.
    public var changed: Int
    /// The indices of the devices that are not registered.
    public var unknown: [Int]

    /// Makes a result as a server answers it, for tests of a program.
    public init(changed: Int, unknown: [Int] = []) {
        self.changed = changed
        self.unknown = unknown
    }

    init(_ answer: MembershipChangeAnswer) {
        self.init(changed: Int(answer.changed), unknown: answer.unknown.map { Int($0) })
    }
}
