/// The routing table from app and service to the connection pool.
package struct Routes: Hashable, Sendable {
    private var pools: [AppID: [PushService: PoolKey]]

    /// Makes a table.
    package init(_ pools: [AppID: [PushService: PoolKey]]) {
        self.pools = pools
    }

    /// The pool; nil if no credential is configured for the app and service.
    package func pool(for app: AppID, _ service: PushService) -> PoolKey? {
        pools[app]?[service]
    }

    /// The apps that a pool serves.
    package func apps(of pool: PoolKey) -> Set<AppID> {
        Set(pools.filter { $0.value[pool.service] == pool }.keys)
    }

    /// Returns true if the app is configured at all.
    package func serves(_ app: AppID) -> Bool { pools[app] != nil }

    /// Every pool.
    package var all: Set<PoolKey> { Set(pools.values.flatMap(\.values)) }
}
