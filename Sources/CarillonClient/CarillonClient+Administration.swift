public import CarillonCore
import CarillonWire

extension CarillonClient {
    /// How the server stands: rates, lanes, connections to APNs, messages in flight, the database.
    ///
    /// The principal must observe or administer every app (a grant of `*`), else the error is `.forbidden`.
    ///
    /// - Parameter limit: rows of each list at most, 1 to 1,000.
    public func statistics(limit: Int = 1_000) async throws(CarillonError) -> ServerStatistics {
        let query = StatisticsQuery(limit: Self.pageLimit(limit))
        guard case .statistics(let statistics) = try await request(.statistics(query)) else { throw .unfit }
        return statistics
    }
}

extension ServerStatistics.RequestCount {
    /// What the operation is called, as in metrics: `send`, `register-batch`.
    public var operation: String { Opcode(rawValue: opcode).name }
}
