/// Whether a pool reaches APNs: it does while a connection is open whose SETTINGS have come.
///
/// A reconnection takes about a second and is not reported. Times are milliseconds of uptime.
package struct Reachability: Sendable {
    /// Time without such a connection after which APNs counts as unreachable.
    private let outage: UInt64
    /// When the last such connection ended; nil while there is one.
    private var unreachableSince: UInt64?
    /// True if APNs is unreachable, as was reported last.
    package private(set) var isLost = false

    /// Makes the state of a pool that has not connected yet.
    package init(outage: UInt64) {
        self.outage = outage
    }

    /// Updates the state of a pool that has, or tries to have, connections. Returns true if `isLost` has changed.
    package mutating func update(isConnected: Bool, at now: UInt64) -> Bool {
        let since = isConnected ? nil : unreachableSince ?? now
        unreachableSince = since
        let isLostNow = since.map { now - min(now, $0) >= outage } ?? false
        defer { isLost = isLostNow }
        return isLost != isLostNow
    }
}
