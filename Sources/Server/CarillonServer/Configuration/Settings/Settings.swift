/// The values of all settings, from three sources: an option overrides the environment, the environment overrides the
/// file.
///
/// A setting `listen.port` is `--listen-port` as an option, `CARILLON_LISTEN_PORT` in the environment and
/// `{"listen": {"port": …}}` in the file. Its purpose, its default, its bounds and the meaning of an empty value are at
/// its `Setting` (`Setting.listenPort`); a comment here says what is not said there.
package struct Settings: Sendable, Hashable {
    /// The listeners for clients.
    package struct Listen: Sendable, Hashable {
        package var host: String
        package var port: Int
        package var portFile: String
        package var unixSocket: String
        package var unixSocketMode: String
        package var certificateFile: String
        package var certificateKeyFile: String
        package var clientAuthoritiesFile: String
        package var allowPlaintext: Bool
    }

    /// The path to APNs, its sandbox and its channel management.
    package struct APNs: Sendable, Hashable {
        package var productionHost: String
        package var sandboxHost: String
        package var port: Int
        package var productionChannelHost: String
        package var productionChannelPort: Int
        package var sandboxChannelHost: String
        package var sandboxChannelPort: Int
        package var authoritiesFile: String
        package var maximumConnections: Int
        package var answerTimeoutSeconds: Int
    }

    /// The path to FCM.
    package struct FCM: Sendable, Hashable {
        package var host: String
        package var port: Int
        package var authoritiesFile: String
        package var maximumConnections: Int
        package var answerTimeoutSeconds: Int
    }

    /// The path to the push services of browsers.
    package struct WebPush: Sendable, Hashable {
        package var hosts: String
        package var internalHosts: String
        package var authoritiesFile: String
        package var maximumConnections: Int
        package var answerTimeoutSeconds: Int
    }

    /// The HTTP proxy on the path to all providers.
    package struct HTTPProxy: Sendable, Hashable {
        package var address: String
        package var credentialsFile: String
    }

    /// The connections of the pools to APNs and FCM.
    package struct Pools: Sendable, Hashable {
        package var minimumConnections: Int
        package var maximumConnectionAgeMinutes: Int
    }

    /// The place and the size of the database.
    package struct Data: Sendable, Hashable {
        package var path: String
        package var limitMebibytes: Int
    }

    /// Limits of client connections.
    package struct ClientLimits: Sendable, Hashable {
        package var connections: Int
        package var halfOpenConnections: Int
        package var halfOpenConnectionsPerAddress: Int
        package var clientMemoryMebibytes: Int
        package var keepaliveSeconds: Int
        package var drainSeconds: Int
    }

    /// The bounds of what the registry keeps: hours, days, and a number of events.
    package struct Retention: Sendable, Hashable {
        package var idempotencyHours: Int
        package var tombstoneDays: Int
        package var messageDays: Int
        package var quarantineDays: Int
        package var eventDays: Int
        package var maximumEvents: Int
    }

    /// The HTTP port for metrics and health.
    package struct Metrics: Sendable, Hashable {
        package var host: String
        package var port: Int
        package var portFile: String
    }

    /// A port of HTTP: the console's, or the service API's.
    package struct HTTPListener: Sendable, Hashable {
        package var host: String
        package var port: Int
        package var portFile: String
        /// The further names of the console; the service API has none.
        package var names = ""
    }

    /// The cluster that the server is a node of.
    package struct Cluster: Sendable, Hashable {
        /// The connection URI, which may contain a password.
        package var url: String
        package var node: String
        package var address: String
        /// The newest format of entries that the node knows; nil: the newest that this program knows. It is no setting:
        /// tests of a rolling upgrade give it.
        package var newestFormat: UInt16?
    }

    package var listen: Listen
    package var apns: APNs
    package var fcm: FCM
    package var webPush: WebPush
    package var proxy: HTTPProxy
    package var pools: Pools
    package var data: Data
    package var cluster: Cluster
    package var limits: ClientLimits
    package var retention: Retention
    package var silentPushesPerHour: Int
    package var metrics: Metrics
    package var console: HTTPListener
    package var http: HTTPListener
    package var appsFile: String
    package var allowsAccessByOthers: Bool
    package var principalsFile: String
    package var logLevel: String
    package var logFormat: String
    package var logAudit: String
    /// Threads that serve clients; as many send bulk, and half as many send to browsers.
    package var clientThreads: Int
    /// Niceness of the threads that send bulk, send to browsers or make long reads: 0 to 19.
    package var bulkNiceness: Int

    /// The values of all settings by name, as texts: the console shows them.
    package var inForce: [String: String] = [:]
}
