/// Whether a pool reaches APNs: it does while a connection stands whose SETTINGS have come.
///
/// A reconnection takes a second or so, and is nobody's business. Times are milliseconds of uptime.
package struct Reachability: Sendable {
    /// Time without such a connection from which on APNs cannot be reached.
    package static let patience: UInt64 = 10_000

    private var alone: UInt64?
    /// Whether APNs is out of reach, as was said last.
    package private(set) var isLost = false

    /// Makes one of a pool that has not tried yet.
    package init() {}

    /// Looks at a pool that has, or tries to have, connections; true if `isLost` has changed.
    package mutating func look(stands: Bool, at now: UInt64) -> Bool {
        let began = stands ? nil : alone ?? now
        alone = began
        let isLostNow = began.map { now - min(now, $0) >= Self.patience } ?? false
        defer { isLost = isLostNow }
        return isLost != isLostNow
    }
}
