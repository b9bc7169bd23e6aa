/// How many pushes one connection may still send in the current window, while `PoolBalance` gives it less than it could take.
/// Times are milliseconds of uptime.
package struct RateLimit: Sendable {
    /// The length of a window, in milliseconds.
    package static let window: UInt64 = 1_000

    /// Pushes a window; nil if there is no limit.
    package var rate: Int?
    private var windowBegan: UInt64 = 0
    private var sent = 0

    /// Makes the state of a connection without a limit.
    package init() {}

    /// Returns how many pushes may be sent now; nil if there is no limit.
    package mutating func allowance(at now: UInt64) -> Int? {
        guard let rate else { return nil }
        if now - min(now, windowBegan) >= Self.window { (windowBegan, sent) = (now, 0) }
        return max(0, rate - sent)
    }

    /// Records that `count` pushes were sent.
    package mutating func sent(_ count: Int) {
        if rate != nil { sent += count }
    }
}
