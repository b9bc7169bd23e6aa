/// A token bucket: a rate limit that allows short bursts.
package struct TokenBucket: Hashable, Sendable {
    /// The longest wait that an error can name: in the protocol, the number after it means “never”.
    private static let maximumWaitMilliseconds = UInt32.max - 1

    private let capacity: UInt64
    private let perSecond: UInt64
    private var thousandths: UInt64
    private var filledAt: Uptime

    /// Makes a full bucket.
    ///
    /// - Parameters:
    ///   - capacity: the most tokens that it holds, so the size of a burst; 0 counts as 1.
    ///   - perSecond: the tokens that are added in a second.
    package init(capacity: UInt32, perSecond: UInt32, now: Uptime) {
        self.capacity = UInt64(max(capacity, 1)) * 1_000
        self.perSecond = UInt64(perSecond)
        thousandths = self.capacity
        filledAt = now
    }

    /// Takes a token; returns false if the bucket is empty.
    package mutating func take(at now: Uptime) -> Bool {
        refill(now: now)
        guard thousandths >= 1_000 else { return false }
        thousandths -= 1_000
        return true
    }

    /// Returns the time until the bucket has a token again, in milliseconds.
    package func millisecondsUntilNext() -> UInt32 {
        guard thousandths < 1_000 else { return 0 }
        guard perSecond > 0 else { return Self.maximumWaitMilliseconds }
        return UInt32(clamping: (1_000 - thousandths + perSecond - 1) / perSecond)
    }

    private mutating func refill(now: Uptime) {
        guard now > filledAt else { return }
        let (gained, overflow) = (now - filledAt).multipliedReportingOverflow(by: perSecond)
        let room = capacity - thousandths
        thousandths += overflow ? room : min(gained, room)
        filledAt = now
    }
}
