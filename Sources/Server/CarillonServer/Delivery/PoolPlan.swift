import CarillonCore

/// The changes to the pools when the deployment changes.
///
/// A pool is kept, with its connections and their pushes in flight, as long as its settings are the same, such as its
/// credential and its path to the provider, and the provider has not refused the credential.
struct PoolPlan: Hashable, Sendable {
    /// The settings that a pool is made of, and the apps that it serves.
    struct Specification: Hashable, Sendable {
        /// The credential, the path to the provider, and all else that the pool depends on.
        var settings: Deployment.PoolSettings
        /// The apps, by bundle id.
        var apps: Set<String>
    }

    private(set) var toOpen: Set<PoolKey> = []
    /// Pools to replace: their settings have changed, such as the credential, or the provider has refused the
    /// credential.
    private(set) var toReplace: Set<PoolKey> = []
    /// Pools to keep that serve more apps. A connection knows only the provider's topics of the time when it
    /// was opened, so their connections are replaced one by one.
    private(set) var toRenew: Set<PoolKey> = []
    /// Pools to close, because they are no longer needed.
    private(set) var toClose: Set<PoolKey> = []

    /// Compares the existing pools with the pools that are needed.
    ///
    /// - Parameter refused: the pools whose credential the provider has refused.
    init(from existing: [PoolKey: Specification], refused: Set<PoolKey>, to needed: [PoolKey: Specification]) {
        for (key, new) in needed {
            guard let old = existing[key] else {
                toOpen.insert(key)
                continue
            }
            if old.settings != new.settings || refused.contains(key) {
                toReplace.insert(key)
            } else if !new.apps.isSubset(of: old.apps) {
                toRenew.insert(key)
            }
        }
        toClose = Set(existing.keys).subtracting(needed.keys)
    }
}
