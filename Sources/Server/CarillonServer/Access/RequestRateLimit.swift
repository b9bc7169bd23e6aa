import CarillonCore
import Synchronization

/// The rate limit of each principal: one for all of its connections.
final class RequestRateLimit: Sendable {
    /// A principal with its limit. The count begins anew when the limit changes.
    private struct Key: Hashable {
        var name: String
        var perSecond: UInt32
    }

    private let buckets = Mutex<[Key: TokenBucket]>([:])

    /// Counts one request of a principal, if the limit allows it.
    ///
    /// - Returns: the milliseconds to wait if the limit is reached; nil if it is not, or if the principal has none.
    func takeRequest(of principal: Principal, now: Uptime) -> UInt32? {
        guard let limit = principal.requestsPerSecond else { return nil }
        return buckets.withLock { buckets in
            let key = Key(name: principal.name, perSecond: limit)
            var bucket =
                buckets[key]
                ?? TokenBucket(capacity: limit, perSecond: limit, now: now)
            defer { buckets[key] = bucket }
            return bucket.take(at: now) ? nil : max(1, bucket.millisecondsUntilNext())
        }
    }
}
