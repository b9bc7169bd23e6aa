/// The destination of pushes: a provider, and for APNs one of its environments.
package enum PushDestination: UInt8, Hashable, Sendable, CaseIterable {
    /// APNs' production environment: apps from the App Store and TestFlight.
    case apnsProduction
    /// APNs' sandbox: builds from Xcode.
    case apnsSandbox
    /// Firebase Cloud Messaging.
    case fcm
    /// The push services of browsers: one pool sends to all of them.
    case web

    /// Makes the destination of APNs in an environment.
    package init(_ environment: APNsEnvironment) {
        self = environment == .production ? .apnsProduction : .apnsSandbox
    }

    @inline(__always)
    package init(_ kind: TokenKind, in environment: APNsEnvironment) {
        switch kind.provider {
        case .apns: self.init(environment)
        case .fcm: self = .fcm
        case .web: self = .web
        }
    }

    package var provider: Provider {
        switch self {
        case .apnsProduction, .apnsSandbox: .apns
        case .fcm: .fcm
        case .web: .web
        }
    }

    /// The environment of APNs; production if the provider is another.
    package var environment: APNsEnvironment { self == .apnsSandbox ? .sandbox : .production }

    /// APNs in the other environment, in which a device may be by mistake; nil for other providers.
    package var other: PushDestination? {
        switch self {
        case .apnsProduction: .apnsSandbox
        case .apnsSandbox: .apnsProduction
        case .fcm, .web: nil
        }
    }

    /// The name used in events and labels about an app's tokens; for APNs, the name of the environment.
    package var name: String {
        switch self {
        case .apnsProduction, .apnsSandbox: environment.name
        case .fcm, .web: provider.name
        }
    }
}

/// The key of a connection pool: one credential and one destination.
package struct PoolKey: Hashable, Sendable, CustomStringConvertible {
    package var destination: PushDestination
    /// The credential's name in the configuration; not a secret.
    package var credential: String

    /// Makes a key; the credential must be one of the destination's provider.
    package init(destination: PushDestination, credential: String) {
        self.destination = destination
        self.credential = credential
    }

    /// The name of the pool in statistics and metrics: `credential/environment`. A credential is of one provider.
    package var description: String { "\(credential)/\(destination.environment.name)" }
}

/// The routing table from app and destination to the connection pool.
package struct Routes: Hashable, Sendable {
    private var pools: [AppID: [PushDestination: PoolKey]]

    /// Makes a table.
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
