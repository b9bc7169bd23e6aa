package import CarillonCore

/// The number of pushes that one connection may still send in the current interval, while `PoolBalance` gives it less
/// than it could take.
package struct ConnectionRateLimit: Sendable {
    /// The pushes that may be sent in an interval; nil if there is no limit.
    package private(set) var pushesPerInterval: Int?
    private var intervalMilliseconds: UInt64 = 1_000
    private var intervalBegan: Uptime = 0
    private var sent = 0

    package init() {}

    /// Changes the limit.
    ///
    /// - Parameters:
    ///   - pushesPerInterval: nil for no limit.
    ///   - intervalMilliseconds: the length of an interval.
    package mutating func set(_ pushesPerInterval: Int?, intervalMilliseconds: UInt64) {
        (self.pushesPerInterval, self.intervalMilliseconds) = (pushesPerInterval, intervalMilliseconds)
    }

    /// Returns the number of pushes that may be sent now; nil if there is no limit.
    package func allowance(at now: Uptime) -> Int? {
        pushesPerInterval.map { isIntervalOver(at: now) ? $0 : max(0, $0 - sent) }
    }

    /// Records that `count` pushes were sent. The first of them after the end of an interval begins the next one.
    package mutating func sent(_ count: Int, at now: Uptime) {
        guard pushesPerInterval != nil else { return }
        if isIntervalOver(at: now) { (intervalBegan, sent) = (now, 0) }
        sent += count
    }

    private func isIntervalOver(at now: Uptime) -> Bool {
        now.milliseconds(since: intervalBegan) >= intervalMilliseconds
    }
}
