import CarillonAPNs
import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTLS
import CarillonTransport
import CarillonWebPush

/// The servers that the pools of a deployment connect to, with TLS and authorization.
extension Deployment {
    /// The settings that a pool depends on: the pool is kept while they are the same.
    struct PoolSettings: Hashable, Sendable {
        /// The fingerprint of the credential.
        var fingerprint: [UInt8]
        var host: String
        var port: Int
        var proxy: Proxy?
        var proxyCredentials: ProxyCredentials?
        /// The path of the file with the authorities of the provider; empty for those of the system.
        var authoritiesFile: String
        var managementTopic: String?
        /// The messages that the Firebase project may send in a minute; nil for Google's default, and for other
        /// providers.
        var messagesPerMinute: UInt32?
        /// The push services that requests are sent to; nil for other providers.
        var rules: EndpointRules?
    }

    /// The pools that its apps need.
    var pools: [PoolKey: PoolPlan.Specification] {
        var pools: [PoolKey: PoolPlan.Specification] = [:]
        for key in apps.routes.all {
            pools[key] = poolSettings(of: key).map {
                PoolPlan.Specification(settings: $0, apps: apps.scope(of: key).apps)
            }
        }
        return pools
    }

    /// Returns the settings of the pool of that key; nil if there is no such credential.
    func poolSettings(of key: PoolKey) -> PoolSettings? {
        guard let credential = credentials[key.credential] else { return nil }
        let apns = settings.apns
        let fcm = settings.fcm
        let (host, port, authoritiesFile): (String, Int, String)
        switch key.destination {
        case .apnsProduction: (host, port, authoritiesFile) = (apns.productionHost, apns.port, apns.authoritiesFile)
        case .apnsSandbox: (host, port, authoritiesFile) = (apns.sandboxHost, apns.port, apns.authoritiesFile)
        case .fcm: (host, port, authoritiesFile) = (fcm.host, fcm.port, fcm.authoritiesFile)
        // Each endpoint has a host of its own.
        case .web: (host, port, authoritiesFile) = ("", 0, settings.webPush.authoritiesFile)
        }
        return PoolSettings(
            fingerprint: credential.fingerprint, host: host, port: port, proxy: proxy,
            proxyCredentials: proxyCredentials, authoritiesFile: authoritiesFile,
            managementTopic: apps.scope(of: key).managementTopic ?? credential.managementTopic,
            messagesPerMinute: apps.credentials[key.credential]?.messagesPerMinute,
            rules: key.destination == .web ? settings.webPush.rules : nil)
    }

    /// Returns the options of the pool of that key, which sends to browsers; nil if the key is no VAPID key.
    func webPushOptions(for key: PoolKey) throws(SettingsError) -> WebPushPool.Options? {
        guard case .vapid(let tokens)? = credentials[key.credential]?.authentication,
            let pool = poolSettings(of: key)
        else { return nil }
        return WebPushPool.Options(
            key: key, tokens: tokens, rules: settings.webPush.rules, networkPath: networkPath,
            tls: try clientTLS(pool, credential: key.credential))
    }

    /// Returns the server, TLS and authorization for the pool of that key.
    ///
    /// - Parameters:
    ///   - epoch: the server's epoch: part of each `apns-id`.
    ///   - accounts: the tokens and quotas that the pools of a service account share.
    func target(
        for key: PoolKey, epoch: UUIDBytes, accounts: FCMAccounts
    ) throws(SettingsError) -> PoolTarget {
        guard case .serviceAccount(let account, let signer)? = credentials[key.credential]?.authentication,
            let pool = poolSettings(of: key)
        else { return try apnsTarget(for: key, epoch: epoch) }
        guard let adapter = FCMAdapter(project: account.projectID) else {
            throw SettingsError(
                "\(settings.appsFile): credential \(key.credential)", fault: "the project id is too long")
        }
        let tls = try clientTLS(pool, credential: key.credential)
        return PoolTarget(
            key: key, server: PoolTarget.Server(host: pool.host, port: pool.port), networkPath: networkPath, tls: tls,
            authorization: .accessToken(accounts.tokens(of: account, key: signer, pool: pool, tls: tls)),
            quota: accounts.quota(of: account.projectID, messagesPerMinute: pool.messagesPerMinute), adapter: adapter)
    }

    /// Returns the server, TLS and authorization for the pool of that key, whose provider is APNs.
    func apnsTarget(for key: PoolKey, epoch: UUIDBytes) throws(SettingsError) -> PoolTarget {
        guard let credential = credentials[key.credential], let pool = poolSettings(of: key) else {
            throw SettingsError(settings.appsFile, fault: "the credential \(key.credential) does not exist")
        }
        let (identity, authorization): (TLSIdentity?, PoolTarget.Authorization)
        switch credential.authentication {
        case .certificate(let certificate): (identity, authorization) = (certificate, .certificate)
        case .token(let source): (identity, authorization) = (nil, .providerToken(source))
        case .serviceAccount, .vapid:
            throw SettingsError(settings.appsFile, fault: "the credential \(key.credential) is one of another provider")
        }
        return PoolTarget(
            key: key, server: PoolTarget.Server(host: pool.host, port: pool.port), networkPath: networkPath,
            tls: try clientTLS(pool, credential: key.credential, identity: identity), authorization: authorization,
            adapter: APNsAdapter(epoch: epoch, managementTopic: pool.managementTopic))
    }

    /// The path to all providers.
    private var networkPath: NetworkPath { NetworkPath(proxy: proxy, proxyCredentials: proxyCredentials) }

    private func clientTLS(
        _ pool: PoolSettings, credential: String, identity: TLSIdentity? = nil
    ) throws(SettingsError) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext.client(
                trust: pool.authoritiesFile.isEmpty ? .system : .authorities(path: pool.authoritiesFile),
                applicationProtocols: ["h2"], requiresApplicationProtocol: true, identity: identity)
        } catch {
            throw SettingsError("\(settings.appsFile): credential \(credential)", fault: error.description)
        }
    }
}

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
