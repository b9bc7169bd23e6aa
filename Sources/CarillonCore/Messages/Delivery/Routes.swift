/// The routing table from app and environment to the connection pool.
package struct Routes: Hashable, Sendable {
    private var pools: [AppID: [Environment: PoolKey]]

    /// Makes a table.
    package init(_ pools: [AppID: [Environment: PoolKey]]) {
        self.pools = pools
    }

    /// The pool; nil if no credential is configured for the app and environment.
    package func pool(for app: AppID, _ environment: Environment) -> PoolKey? {
        pools[app]?[environment]
    }

    /// The apps that a pool serves.
    package func apps(of pool: PoolKey) -> Set<AppID> {
        Set(pools.filter { $0.value[pool.environment] == pool }.keys)
    }

    /// Returns true if the app is configured at all.
    package func serves(_ app: AppID) -> Bool { pools[app] != nil }

    /// Every pool.
    package var all: Set<PoolKey> { Set(pools.values.flatMap(\.values)) }
}
