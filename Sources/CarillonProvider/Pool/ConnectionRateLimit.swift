package import CarillonCore

/// The number of pushes that one connection may still send in the current window, while `PoolBalance` gives it less
/// than it could take.
package struct ConnectionRateLimit: Sendable {
    /// The pushes that may be sent in a window; nil if there is no limit.
    package private(set) var pushesPerWindow: Int?
    private var windowMilliseconds: UInt64 = 1_000
    private var windowBegan: Uptime = 0
    private var sent = 0

    /// Makes the state of a connection without a limit.
    package init() {}

    /// Changes the limit.
    ///
    /// - Parameters:
    ///   - pushesPerWindow: nil for no limit.
    ///   - windowMilliseconds: the length of a window.
    package mutating func set(_ pushesPerWindow: Int?, windowMilliseconds: UInt64) {
        (self.pushesPerWindow, self.windowMilliseconds) = (pushesPerWindow, windowMilliseconds)
    }

    /// Returns the number of pushes that may be sent now; nil if there is no limit.
    package func allowance(at now: Uptime) -> Int? {
        pushesPerWindow.map { isWindowOver(at: now) ? $0 : max(0, $0 - sent) }
    }

    /// Records that `count` pushes were sent. The first of them after the end of a window begins the next one.
    package mutating func sent(_ count: Int, at now: Uptime) {
        guard pushesPerWindow != nil else { return }
        if isWindowOver(at: now) { (windowBegan, sent) = (now, 0) }
        sent += count
    }

    private func isWindowOver(at now: Uptime) -> Bool { now.milliseconds(since: windowBegan) >= windowMilliseconds }
}
