/// The values of all settings, from three sources: a flag overrides the environment, the environment overrides the
/// file.
///
/// A setting `listen.port` is `--listen-port` as a flag, `CARILLON_LISTEN_PORT` in the environment and
/// `{"listen": {"port": …}}` in the file.
package struct Settings: Sendable, Hashable {
    /// The listeners for clients.
    package struct Listen: Sendable, Hashable {
        /// Address for TCP; empty = no TCP.
        package var host: String
        /// TCP port; 0 = any free port.
        package var port: Int
        /// File to write the TCP port into, once bound; empty = none.
        package var portFile: String
        /// Path of a Unix socket; empty = none.
        package var unixSocket: String
        /// Mode of the Unix socket, in octal digits.
        package var unixSocketMode: String
        /// PEM chain for TLS; empty = plaintext.
        package var certificate: String
        /// PEM key for TLS, readable by the owner only.
        package var key: String
        /// PEM authorities of client certificates; empty = none are asked for.
        package var clientAuthorities: String
        /// True if plaintext is allowed on addresses other than loopback.
        package var allowPlaintext: Bool
    }

    /// The path to APNs, its sandbox and its channel management.
    package struct APNs: Sendable, Hashable {
        /// Host for production.
        package var productionHost: String
        /// Host for sandbox.
        package var sandboxHost: String
        /// Port of both: 443 or 2197 with Apple.
        package var port: Int
        /// Host of channel management for production.
        package var productionChannelHost: String
        /// Port of that host.
        package var productionChannelPort: Int
        /// Host of channel management for sandbox.
        package var sandboxChannelHost: String
        /// Port of that host.
        package var sandboxChannelPort: Int
        /// PEM authorities; empty = those of the system.
        package var authorities: String
        /// The most connections of a pool.
        package var connections: Int
        /// Connections that a pool keeps after a quiet time.
        package var minimumConnections: Int
        /// Age at which a connection is replaced, in minutes.
        package var ageMinutes: Int
        /// Longest wait for one answer, in seconds.
        package var answerSeconds: Int
    }

    /// The path to FCM.
    package struct FCM: Sendable, Hashable {
        /// Host of FCM.
        package var host: String
        /// Port of FCM.
        package var port: Int
        /// PEM authorities of FCM and its token endpoint; empty = the system's.
        package var authorities: String
        /// The most connections of a pool.
        package var connections: Int
        /// Longest wait for one answer, in seconds.
        package var answerSeconds: Int
    }

    /// The path to the push services of browsers.
    package struct WebPush: Sendable, Hashable {
        /// Push services in addition to the browsers' own, with spaces between them.
        package var hosts: String
        /// Push services whose addresses need not be public, with spaces between them.
        package var internalHosts: String
        /// PEM authorities; empty = those of the system.
        package var authorities: String
        /// The most connections to one push service.
        package var connections: Int
        /// Longest wait for one answer, in seconds.
        package var answerSeconds: Int
    }

    /// The HTTP proxy on the path to all providers.
    package struct ProxySettings: Sendable, Hashable {
        /// The proxy as `host:port`; empty = none.
        package var address: String
        /// File with `user:password` for the proxy; empty = none.
        package var credentialsFile: String
    }

    /// The place and the size of the database.
    package struct Data: Sendable, Hashable {
        /// Directory of the database.
        package var path: String
        /// Largest size of the database, in mebibytes.
        package var limitMebibytes: Int
    }

    /// Limits of client connections.
    package struct ClientLimits: Sendable, Hashable {
        /// Connections at a time.
        package var connections: Int
        /// Half-open connections over TCP.
        package var halfOpenConnections: Int
        /// Half-open connections from one address or IPv6 network, and over the Unix socket.
        package var halfOpenConnectionsPerAddress: Int
        /// Memory of the requests and answers of all connections, in MiB.
        package var memoryMebibytes: Int
        /// Silence after which the server pings, in seconds.
        package var keepaliveSeconds: Int
        /// The time from SIGTERM to the end, in seconds.
        package var drainSeconds: Int
    }

    /// Retention periods.
    package struct Retention: Sendable, Hashable {
        /// Idempotency keys, in hours.
        package var idempotencyHours: Int
        /// Tombstones, in days.
        package var tombstoneDays: Int
        /// Finished messages, in days.
        package var messageDays: Int
        /// Quarantined devices, in days.
        package var quarantineDays: Int
        /// Events, in days.
        package var eventDays: Int
        /// The most events.
        package var events: Int
    }

    /// The HTTP port for metrics and health.
    package struct Metrics: Sendable, Hashable {
        /// Address of the HTTP port; empty = none.
        package var host: String
        /// TCP port; 0 = any free port.
        package var port: Int
        /// File to write the port into; empty = none.
        package var portFile: String
    }

    /// A port of HTTP: the console's, or the service API's.
    package struct HTTPListener: Sendable, Hashable {
        /// Address.
        package var host: String
        /// TCP port; -1 = none, 0 = any free port.
        package var port: Int
        /// File to write the port into; empty = none.
        package var portFile: String
        /// Further names of the console, with spaces between them.
        package var names = ""
    }

    /// The cluster that the server is a node of.
    package struct Cluster: Sendable, Hashable {
        /// Connection URI of the shared log; empty = no cluster. It may contain a password.
        package var url: String
        /// The name of this node.
        package var node: String
        /// Address by which clients reach this node; empty = unknown.
        package var address: String
        /// The newest format of entries that the node knows; nil: the newest that this program knows. It is no setting:
        /// tests of a rolling upgrade give it.
        package var newestFormat: UInt16?
    }

    /// The listeners for clients.
    package var listen: Listen
    /// The path to APNs, its sandbox and its channel management.
    package var apns: APNs
    /// The path to FCM.
    package var fcm: FCM
    /// The path to the push services of browsers.
    package var webPush: WebPush
    /// The HTTP proxy on the path to all providers.
    package var proxy: ProxySettings
    /// The place and the size of the database.
    package var data: Data
    /// The cluster that the server is a node of.
    package var cluster: Cluster
    /// Limits of client connections.
    package var limits: ClientLimits
    /// Retention periods.
    package var retention: Retention
    /// Silent pushes that a device gets in an hour; 0 = no bound.
    package var silentPushesPerHour: Int
    /// The HTTP port for metrics and health.
    package var metrics: Metrics
    /// The console.
    package var console: HTTPListener
    /// HTTP for services.
    package var http: HTTPListener
    /// JSON file of apps and credentials.
    package var appsFile: String
    /// True if secrets may be in files that other users can read.
    package var allowsOpenFiles: Bool
    /// JSON file of principals.
    package var principalsFile: String
    /// `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    package var logLevel: String
    /// `text` or `json`.
    package var logFormat: String
    /// `none`, `wide` or `all`.
    package var logAudit: String
    /// Threads that serve clients; as many send bulk, and half as many send to browsers.
    package var threads: Int
    /// Niceness of the threads that send bulk, send to browsers or read listings: 0 to 19.
    package var bulkNiceness: Int

    /// The values of all settings by name, as texts: the console shows them.
    package var inForce: [String: String] = [:]
}
