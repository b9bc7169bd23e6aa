import CarillonCore
import Synchronization

/// Limits the requests of each principal: one budget for all of its connections.
final class RequestRateLimit: Sendable {
    /// A principal with its limit: with another limit it gets another budget.
    private struct Key: Hashable {
        var name: String
        var perSecond: UInt32
    }

    private let buckets = Mutex<[Key: TokenBucket]>([:])

    /// Takes one request from the principal's budget.
    ///
    /// - Returns: nil if it was taken; the milliseconds to wait if the budget is spent.
    func takeRequest(of principal: Principal, now: Uptime) -> UInt32? {
        guard let limit = principal.requestsPerSecond else { return nil }
        return buckets.withLock { buckets in
            let key = Key(name: principal.name, perSecond: limit)
            var bucket =
                buckets[key]
                ?? TokenBucket(capacity: limit, perSecond: limit, now: now)
            defer { buckets[key] = bucket }
            return bucket.take(now: now) ? nil : max(1, bucket.millisecondsUntilNext())
        }
    }
}
