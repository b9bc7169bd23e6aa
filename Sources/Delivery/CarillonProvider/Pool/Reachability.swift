package import CarillonCore

/// The state of a pool's way to the provider. The pool reaches it while it has a connection that works: one that is
/// open and has received SETTINGS.
///
/// A reconnection takes about a second and is not reported. Without work no connection is made, and nothing is known.
package struct Reachability: Sendable {
    /// The time without a connection that works after which the provider counts as unreachable.
    private let outageMilliseconds: UInt64
    /// The time since which a working connection is needed and missing; nil if none is needed, or one is there.
    private var unreachableSince: Uptime?
    /// True if the provider counted as unreachable at the last update.
    package private(set) var isUnreachable = false

    package init(outageMilliseconds: UInt64) {
        self.outageMilliseconds = outageMilliseconds
    }

    /// Updates the state. Returns true if `isUnreachable` has changed. Once the provider is unreachable, only a
    /// connection changes that.
    ///
    /// - Parameter isNeeded: true if work waits for a connection.
    package mutating func update(isConnected: Bool, isNeeded: Bool, at now: Uptime) -> Bool {
        let isMissing = !isConnected && (isNeeded || isUnreachable)
        let since = isMissing ? unreachableSince ?? now : nil
        unreachableSince = since
        let isUnreachableNow = since.map { now.milliseconds(since: $0) >= outageMilliseconds } ?? false
        defer { isUnreachable = isUnreachableNow }
        return isUnreachable != isUnreachableNow
    }
}
