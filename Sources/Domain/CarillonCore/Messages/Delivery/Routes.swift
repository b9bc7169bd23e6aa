/// The routing table from app and destination to the connection pool.
package struct Routes: Hashable, Sendable {
    private var pools: [AppID: [PushDestination: PoolKey]]

    /// Makes the routes of the apps that are served.
    ///
    /// - Parameter pools: the pool of each app for each destination; an app without a credential has an empty row.
    package init(_ pools: [AppID: [PushDestination: PoolKey]]) {
        self.pools = pools
    }

    /// Returns the pool for an app and a destination; nil if no credential is configured for them.
    package func pool(for app: AppID, at destination: PushDestination) -> PoolKey? {
        pools[app]?[destination]
    }

    package func apps(of pool: PoolKey) -> Set<AppID> {
        Set(pools.filter { $0.value[pool.destination] == pool }.keys)
    }

    /// Returns true if the app is configured at all.
    package func serves(_ app: AppID) -> Bool { pools[app] != nil }

    package var all: Set<PoolKey> { Set(pools.values.flatMap(\.values)) }
}
