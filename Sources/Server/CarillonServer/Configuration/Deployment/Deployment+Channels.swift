import CarillonCore
import CarillonTransport

/// The hosts of APNs' channel management.
extension Deployment {
    /// Returns the settings that channel management with the credential of that key depends on; nil if APNs has no such
    /// credential.
    func channelSpecification(_ key: PoolKey) -> PoolPlan.Specification? {
        guard key.destination.provider == .apns, var pool = poolSettings(of: key) else { return nil }
        (pool.host, pool.port) = channelAddress(key.destination.environment)
        return PoolPlan.Specification(settings: pool, apps: apps.scope(of: key).apps)
    }

    /// Returns the server, TLS and authorization for channel management with the credential of that key.
    func channelTarget(_ key: PoolKey, epoch: UUIDBytes) throws(SettingsError) -> PoolTarget {
        var target = try apnsTarget(for: key, epoch: epoch)
        let address = channelAddress(key.destination.environment)
        target.server = PoolTarget.Server(host: address.host, port: address.port)
        return target
    }

    private func channelAddress(_ environment: APNsEnvironment) -> (host: String, port: Int) {
        switch environment {
        case .production: (settings.apns.productionChannelHost, settings.apns.productionChannelPort)
        case .sandbox: (settings.apns.sandboxChannelHost, settings.apns.sandboxChannelPort)
        }
    }
}
