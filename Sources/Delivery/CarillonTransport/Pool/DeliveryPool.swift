package import CarillonCore
package import NIOCore

/// The connections of one credential to one destination, as delivery knows them.
///
/// All functions may be called from any thread.
package protocol DeliveryPool: AnyObject, Sendable {
    var key: PoolKey { get }
    /// The identity under which the delivery source knows the pool: it is passed as `reportedBy`.
    var identity: ObjectIdentifier { get }
    /// The attempts and answers since the start of the server.
    var totals: PoolMetrics.Totals { get }
    /// The present outage with its last failure; nil if the pool has none.
    var outage: (outage: ServerStatistics.Outage, reason: String)? { get }
    /// The source of its provider tokens; nil if the pool has none.
    var providerTokens: ProviderTokenSource? { get }
    /// The source of its access tokens; nil if the pool has none.
    var accessTokens: AccessTokenSource? { get }
    /// The quota of its project; nil if the pool has none.
    var quota: ProjectQuota? { get }

    /// Wakes the connections to pull work, or opens one. Cheap to call often.
    func wake()
    func replaceConnectionsOneByOne()
    /// Ends every connection once its answers have come; others are opened if there is work.
    func drainAllConnections()
    func statistics() -> EventLoopFuture<PushPool.Statistics>
    /// Opens nothing more, awaits the answers in flight, and closes; done when the last connection is closed.
    func close() -> EventLoopFuture<Void>
}

extension PushPool {
    package var key: PoolKey { target.key }
    package var totals: PoolMetrics.Totals { metrics.totals }
    package var outage: (outage: ServerStatistics.Outage, reason: String)? { metrics.outage }
    package var providerTokens: ProviderTokenSource? { target.providerTokens }
    package var accessTokens: AccessTokenSource? { target.accessTokens }
    package var quota: ProjectQuota? { target.quota }
}
