/// The source of deliveries: a connection pulls from it when it has free streams.
///
/// Each delivery that is pulled is given back exactly once, with its verdict. Safe to call from any event loop.
package protocol DeliverySource: Sendable {
    /// Appends deliveries for `pool`, at most as many as `limits` allow.
    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery])

    /// Returns true if deliveries wait for `pool` now. If another connection takes the last one at the same moment, the
    /// answer may still be true.
    func hasWork(for pool: PoolKey) -> Bool

    /// Takes the results of attempts that were pulled for `pool`.
    func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey)

    /// Reports that the provider has ended a connection of `pool` because of its credential.
    ///
    /// - Parameters:
    ///   - reason: the provider's reason.
    ///   - reporter: the pool that reports it; another pool may have replaced it under the same key.
    func credentialRefused(of pool: PoolKey, reason: String, reportedBy reporter: ObjectIdentifier)

    /// Reports that `pool` has had no connection for a while, or has one again. Without a connection it does not pull.
    ///
    /// - Parameter reporter: the pool that reports it; another pool may have replaced it under the same key.
    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy reporter: ObjectIdentifier)

    /// Reports that a connection of `pool` has begun to work, or that one that worked has ended.
    func connectionChanged(of pool: PoolKey, isUp: Bool)
}
