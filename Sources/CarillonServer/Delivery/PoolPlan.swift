import CarillonCore

/// The changes to the pools when the deployment changes.
///
/// A pool is kept, with its connections and their pushes in flight, as long as its credential and its path to the
/// provider are the same, and the provider has not refused the credential.
struct PoolPlan: Hashable, Sendable {
    /// The settings that a pool is made of, and the apps that it serves.
    struct Specification: Hashable, Sendable {
        /// The credential, and the path to the provider.
        var description: Deployment.PoolDescription
        /// The apps, by bundle id.
        var apps: Set<String>
    }

    /// New pools.
    private(set) var opened: Set<PoolKey> = []
    /// Pools with another credential or another path to the provider, or whose credential was refused.
    private(set) var replaced: Set<PoolKey> = []
    /// Pools that are kept and serve more apps. A connection knows only the topics of the time when it was opened, so
    /// the connections are renewed one by one.
    private(set) var renewed: Set<PoolKey> = []
    /// Pools that are not needed any more.
    private(set) var drained: Set<PoolKey> = []

    /// Compares the present pools with the pools that are needed.
    ///
    /// - Parameter refused: the pools whose credential the provider has refused.
    init(from present: [PoolKey: Specification], refused: Set<PoolKey>, to needed: [PoolKey: Specification]) {
        for (key, new) in needed {
            guard let old = present[key] else {
                opened.insert(key)
                continue
            }
            if old.description != new.description || refused.contains(key) {
                replaced.insert(key)
            } else if !new.apps.isSubset(of: old.apps) {
                renewed.insert(key)
            }
        }
        drained = Set(present.keys).subtracting(needed.keys)
    }
}

extension Deployment {
    /// The pools that its apps need.
    var pools: [PoolKey: PoolPlan.Specification] {
        var pools: [PoolKey: PoolPlan.Specification] = [:]
        for key in apps.routes.all {
            pools[key] = description(of: key).map {
                PoolPlan.Specification(description: $0, apps: apps.scope(of: key).apps)
            }
        }
        return pools
    }
}
