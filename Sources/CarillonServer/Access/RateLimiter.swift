import CarillonCore
import Synchronization

/// The budgets of principals: one for all connections of each.
final class RateLimiter: Sendable {
    private let buckets = Mutex<[String: TokenBucket]>([:])

    /// Takes one request from the principal's budget.
    ///
    /// - Returns: nothing, or how many milliseconds to wait.
    func refuse(_ principal: Principal, now: UInt64) -> UInt32? {
        guard let limit = principal.requestsPerSecond else { return nil }
        return buckets.withLock { buckets in
            var bucket =
                buckets[principal.name]
                ?? TokenBucket(capacity: limit, perSecond: limit, now: now)
            defer { buckets[principal.name] = bucket }
            return bucket.take(now: now) ? nil : max(1, bucket.millisecondsUntilNext())
        }
    }
}
