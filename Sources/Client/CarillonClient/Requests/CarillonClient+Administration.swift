public import CarillonCore
import CarillonWire

/// Requests of operators: statistics, the nodes of a cluster, all devices of an app.
extension CarillonClient {
    /// Returns the statistics of the server: rates, lanes, connections to providers, messages in flight, the database.
    ///
    /// The principal must observe or administer every app (a grant of `*`), else the error is `.forbidden`.
    ///
    /// ```swift
    /// let statistics = try await client.statistics(limit: 10)
    /// for message in statistics.sending { print(message) }
    /// ```
    ///
    /// - Parameter limit: the most rows of each list, 1 to 1,000.
    public func statistics(limit: Int = 1_000) async throws(CarillonError) -> ServerStatistics {
        let query = StatisticsRequest(limit: Self.pageLimit(limit))
        return try await request(query)
    }

    /// Ends the incarnation of a node of the cluster at once, and returns its number. The node stops sending, and the
    /// others take over its messages. Stop a live node first, because it joins again by itself.
    ///
    /// The principal must administer every app (a grant of `*`), otherwise the error is `.forbidden`. The error is
    /// `.notFound` if no such node is live. The client never retries the call, because a second removal could end a
    /// later incarnation.
    public func removeNode(_ name: String) async throws(CarillonError) -> UInt64 {
        try await request(RemoveNodeRequest(node: name))
    }

    /// Returns one page of all devices of an app, active and quarantined, with their registrations. It has at most
    /// `limit` (1 to 1,000) devices from `cursor` on, and fewer if they would not fit a frame.
    ///
    /// The principal must administer the app, else the error is `.forbidden`.
    public func devices(
        of app: AppID, from cursor: UInt64?, limit: Int = 1_000
    ) async throws(CarillonError) -> Page<DeviceRecord, UInt64> {
        let query = DevicesRequest(app: app, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(rows: page.devices, next: page.next == 0 ? nil : page.next)
    }

    /// Returns all devices of an app, ascending by id; fetched as they are consumed.
    public func devices(of app: AppID) -> Listing<DeviceRecord, UInt64> {
        Listing { cursor throws(CarillonError) in try await self.devices(of: app, from: cursor) }
    }
}

extension ServerStatistics.RequestCount {
    /// The name of the operation, as in metrics: `send`, `register-batch`.
    public var operation: String { Opcode(rawValue: opcode).name }
}
