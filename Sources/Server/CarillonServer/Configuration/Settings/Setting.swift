/// One setting: its name, type, default, bounds and purpose. The defaults, the limits, `carillond --help` and the
/// example file are all made from `all`.
package struct Setting: Hashable, Sendable {
    /// The default of a setting, which also says its type. A whole number has bounds.
    package enum Value: Hashable, Sendable {
        case text(String)
        case number(Int, within: ClosedRange<Int>)
        case flag(Bool)
    }

    /// The name in the file: `listen.port`.
    package let name: String
    /// The type and the default.
    package let value: Value
    /// The purpose, in a few sentences.
    package let purpose: String

    init(_ name: String, default value: Value, purpose: String) {
        self.name = name
        self.value = value
        self.purpose = purpose
    }

    /// True if SIGHUP reads it again.
    package var isReloaded: Bool { ReloadedSetting.all.contains { $0.setting == self } }

    /// The option: `--listen-port-file` for `listen.portFile`.
    package var option: String {
        "--" + words
    }

    /// The environment variable: `CARILLON_LISTEN_PORT_FILE` for `listen.portFile`.
    package var variable: String {
        "CARILLON_" + words.map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }

    /// The words of the name: `listen-port-file` for `listen.portFile`.
    private var words: String {
        name.map { $0 == "." ? "-" : $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }
}

/// The settings, as the example file lists them.
extension Setting {
    static let listenHost = Setting(
        "listen.host", default: .text("127.0.0.1"), purpose: "Address on which clients connect by TCP. Empty: no TCP.")
    static let listenPort = Setting(
        "listen.port", default: .number(7_474, within: 0...65_535),
        purpose: "TCP port for clients. 0: any free port; see listen.portFile.")
    static let listenPortFile = Setting(
        "listen.portFile", default: .text(""),
        purpose: "File to which the TCP port for clients is written when the server listens. Empty: none."
    )
    static let listenUnixSocket = Setting(
        "listen.unixSocket", default: .text(""),
        purpose: "Path of a Unix socket for clients on this machine. Empty: none.")
    static let listenUnixSocketMode = Setting(
        "listen.unixSocketMode", default: .text("0660"),
        purpose:
            "Mode of the Unix socket for clients, in octal digits, whatever the umask. Users who may write to the "
            + "socket can connect; they need a key."
    )
    static let listenCertificateFile = Setting(
        "listen.certificateFile", default: .text(""),
        purpose: "PEM certificate chain of the server, the leaf first. Empty: plaintext, on loopback only.")
    static let listenCertificateKeyFile = Setting(
        "listen.certificateKeyFile", default: .text(""),
        purpose: "PEM key of listen.certificateFile; readable by its owner only.")
    static let listenClientAuthoritiesFile = Setting(
        "listen.clientAuthoritiesFile", default: .text(""),
        purpose: "PEM authorities of client certificates. Empty: clients are not asked for one.")
    static let listenAllowPlaintext = Setting(
        "listen.allowPlaintext", default: .flag(false),
        purpose: "Serve plaintext on an address other than loopback, because the network itself is safe.")

    static let dataPath = Setting(
        "data.path", default: .text("/var/lib/carillon"),
        purpose: "Directory of the database; made if missing. A local disk with a real fsync, no network file system.")
    static let dataLimit = Setting(
        "data.limitMebibytes", default: .number(65_536, within: 8...1_048_576),
        purpose: "Largest size of the database, in MiB. Near it messages are refused first, then registrations.")

    static let clusterURL = Setting(
        "cluster.url", default: .text(""),
        purpose:
            "PostgreSQL with the shared log of a cluster, as postgresql://user@host/database; libpq reads passwords "
            + "and certificates as usual. Empty: this server is not a node of a cluster.")
    static let clusterNode = Setting(
        "cluster.node", default: .text(""),
        purpose: "Name of this node: 1 to 63 of a to z, 0 to 9, '-', '_', '.'. It belongs to the data directory.")
    static let clusterAddress = Setting(
        "cluster.address", default: .text(""),
        purpose: "Where clients reach this node, as host:port; other nodes show it.")

    static let appsFile = Setting(
        "apps.file", default: .text("/etc/carillon/apps.json"), purpose: "JSON file of apps and credentials.")
    static let secretsAllowAccessByOthers = Setting(
        "secrets.allowAccessByOthers", default: .flag(false),
        purpose:
            "Accept keys and passwords that other users can read, and files of apps and principals that they can "
            + "change, as some secret mounts make them.")
    static let principalsFile = Setting(
        "principals.file", default: .text("/etc/carillon/principals.json"),
        purpose: "JSON file of principals: the clients that may connect, their keys and their roles.")

    static let apnsProductionHost = Setting(
        "apns.productionHost", default: .text("api.push.apple.com"), purpose: "Host of APNs for production tokens.")
    static let apnsSandboxHost = Setting(
        "apns.sandboxHost", default: .text("api.sandbox.push.apple.com"), purpose: "Host of APNs for sandbox tokens.")
    static let apnsPort = Setting(
        "apns.port", default: .number(443, within: 1...65_535),
        purpose: "Port of APNs, in production and in the sandbox; Apple listens on 443 and 2197.")
    static let apnsProductionChannelHost = Setting(
        "apns.productionChannelHost", default: .text("api-manage-broadcast.push.apple.com"),
        purpose: "Host of APNs' channel management for production.")
    static let apnsProductionChannelPort = Setting(
        "apns.productionChannelPort", default: .number(2_196, within: 1...65_535),
        purpose: "Port of APNs' channel management for production.")
    static let apnsSandboxChannelHost = Setting(
        "apns.sandboxChannelHost", default: .text("api-manage-broadcast.sandbox.push.apple.com"),
        purpose: "Host of APNs' channel management for the sandbox.")
    static let apnsSandboxChannelPort = Setting(
        "apns.sandboxChannelPort", default: .number(2_195, within: 1...65_535),
        purpose: "Port of APNs' channel management for the sandbox.")
    static let apnsAuthoritiesFile = Setting(
        "apns.authoritiesFile", default: .text(""),
        purpose: "PEM authorities that sign the certificate of APNs. Empty: those of the system.")
    static let apnsMaximumConnections = Setting(
        "apns.maximumConnections", default: .number(8, within: 1...64),
        purpose:
            "The most connections of a pool to APNs; a pool is one credential in one environment. If a pool has "
            + "several, one of them carries no bulk. A pool opens a fourth only while the event loops have time left."
    )
    static let apnsAnswerTimeoutSeconds = Setting(
        "apns.answerTimeoutSeconds", default: .number(20, within: 1...300),
        purpose: "Longest wait for the answer of APNs to one push, in seconds.")

    static let fcmHost = Setting(
        "fcm.host", default: .text("fcm.googleapis.com"), purpose: "Host name of Google's FCM service.")
    static let fcmPort = Setting(
        "fcm.port", default: .number(443, within: 1...65_535), purpose: "TCP port on which FCM listens.")
    static let fcmAuthoritiesFile = Setting(
        "fcm.authoritiesFile", default: .text(""),
        purpose:
            "PEM authorities that sign the certificates of FCM and of its token endpoint. Empty: those of the system.")
    static let fcmMaximumConnections = Setting(
        "fcm.maximumConnections", default: .number(10, within: 1...64),
        purpose:
            "The most connections of a pool to FCM; a pool is one service account. FCM takes 100 pushes at a time on "
            + "each."
    )
    static let fcmAnswerTimeoutSeconds = Setting(
        "fcm.answerTimeoutSeconds", default: .number(20, within: 10...300),
        purpose: "Longest wait for the answer of FCM to one push, in seconds.")

    static let webPushHosts = Setting(
        "webPush.hosts", default: .text(""),
        purpose:
            "Push services beside those of the browsers, with spaces between them: push.example.com, *.example.com, "
            + "push.example.com:8443. Their addresses must be public.")
    static let webPushInternalHosts = Setting(
        "webPush.internalHosts", default: .text(""),
        purpose:
            "Push services in your own network, whose addresses need not be public, with spaces between them as in "
            + "webPush.hosts.")
    static let webPushAuthoritiesFile = Setting(
        "webPush.authoritiesFile", default: .text(""),
        purpose: "PEM authorities that sign the certificates of push services. Empty: those of the system.")
    static let webPushMaximumConnections = Setting(
        "webPush.maximumConnections", default: .number(4, within: 1...64),
        purpose: "The most connections to one push service for one VAPID key.")
    static let webPushAnswerTimeoutSeconds = Setting(
        "webPush.answerTimeoutSeconds", default: .number(20, within: 1...300),
        purpose: "Longest wait for the answer of a push service to one push, in seconds.")

    static let proxyAddress = Setting(
        "proxy.address", default: .text(""),
        purpose:
            "HTTP proxy on the path to APNs, FCM and the push services of browsers, as host:port; it must allow "
            + "CONNECT. Empty: none.")
    static let proxyCredentialsFile = Setting(
        "proxy.credentialsFile", default: .text(""),
        purpose: "File with user:password for the proxy, readable by its owner only. Empty: the proxy needs none.")

    static let poolsMinimumConnections = Setting(
        "pools.minimumConnections", default: .number(1, within: 1...64),
        purpose:
            "Connections that a pool to APNs or FCM keeps when it is idle. The first is opened when there is work.")
    static let poolsMaximumConnectionAgeMinutes = Setting(
        "pools.maximumConnectionAgeMinutes", default: .number(720, within: 1...10_080),
        purpose:
            "Age at which a connection to APNs or FCM is replaced, in minutes; a fifth less or more, so that not all "
            + "are replaced at once."
    )

    static let limitsConnections = Setting(
        "limits.connections", default: .number(2_000, within: 1...100_000), purpose: "Client connections at a time.")
    static let limitsHalfOpenConnections = Setting(
        "limits.halfOpenConnections", default: .number(256, within: 1...100_000),
        purpose:
            "Half-open client connections over TCP: those that have not authenticated. Beyond this number a new one "
            + "displaces the oldest of the busiest address.")
    static let limitsHalfOpenConnectionsPerAddress = Setting(
        "limits.halfOpenConnectionsPerAddress", default: .number(64, within: 1...100_000),
        purpose:
            "Half-open client connections from one IPv4 address, from one /64 network of IPv6, or over the Unix "
            + "socket. Beyond this number a new one displaces the oldest of the same source.")
    static let limitsClientMemory = Setting(
        "limits.clientMemoryMebibytes", default: .number(128, within: 8...1_048_576),
        purpose: "Memory that the requests and answers of all clients may take, in MiB. One principal gets half.")
    static let limitsKeepalive = Setting(
        "limits.keepaliveSeconds", default: .number(30, within: 1...3_600),
        purpose: "Silence after which the server sends a PING to a client, in seconds.")
    static let limitsDrain = Setting(
        "limits.drainSeconds", default: .number(20, within: 1...600),
        purpose: "Time that clients have after SIGTERM to get their last answers, in seconds.")

    static let retentionIdempotency = Setting(
        "retention.idempotencyHours", default: .number(24, within: 1...720),
        purpose: "How long the idempotency key of a message is kept, in hours: a repeated send gets the first answer.")
    static let retentionTombstones = Setting(
        "retention.tombstoneDays", default: .number(30, within: 1...3_650),
        purpose:
            "How long the tombstone of a device is kept, in days: a late registration cannot bring the device back.")
    static let retentionMessages = Setting(
        "retention.messageDays", default: .number(7, within: 1...3_650),
        purpose: "How long a finished message and its outcomes are kept, in days.")
    static let retentionQuarantine = Setting(
        "retention.quarantineDays", default: .number(30, within: 1...3_650),
        purpose: "How long a device whose token was declared dead can be restored, in days.")
    static let retentionEvents = Setting(
        "retention.eventDays", default: .number(7, within: 1...3_650),
        purpose: "How long events are kept for subscribers that were away, in days.")
    static let retentionMaximumEvents = Setting(
        "retention.maximumEvents", default: .number(1_000_000, within: 1_000...100_000_000),
        purpose: "The most events that are kept; beyond this number the oldest are removed.")
    static let silentPushes = Setting(
        "silent.pushesPerHour", default: .number(3, within: 0...1_000),
        purpose: "Silent pushes that a device gets in an hour; APNs throttles what is more. 0: no bound.")

    static let metricsHost = Setting(
        "metrics.host", default: .text("127.0.0.1"),
        purpose: "Address of the HTTP port with /metrics, /healthz and /readyz. Empty: no such port.")
    static let metricsPort = Setting(
        "metrics.port", default: .number(7_475, within: 0...65_535),
        purpose: "HTTP port of metrics and health. 0: any free port; see metrics.portFile.")
    static let metricsPortFile = Setting(
        "metrics.portFile", default: .text(""),
        purpose: "File to which the port of metrics and health is written. Empty: none.")

    static let consoleHost = Setting(
        "console.host", default: .text("127.0.0.1"),
        purpose: "Address of the console, a website for operators. Outside loopback it needs listen.certificateFile.")
    static let consolePort = Setting(
        "console.port", default: .number(-1, within: -1...65_535),
        purpose: "Port of the console. -1: no console. 0: any free port; see console.portFile.")
    static let consolePortFile = Setting(
        "console.portFile", default: .text(""),
        purpose: "File to which the port of the console is written. Empty: none.")
    static let consoleNames = Setting(
        "console.names", default: .text(""),
        purpose:
            "Names by which browsers reach the console, with spaces between them, beside console.host, the DNS names "
            + "of listen.certificateFile and the names of loopback. Requests for other names are refused.")
    static let httpHost = Setting(
        "http.host", default: .text("127.0.0.1"),
        purpose: "Address of the HTTP port for services. Outside loopback it needs listen.certificateFile.")
    static let httpPort = Setting(
        "http.port", default: .number(-1, within: -1...65_535),
        purpose: "Port of HTTP with JSON for services. -1: no such port. 0: any free port; see http.portFile.")
    static let httpPortFile = Setting(
        "http.portFile", default: .text(""),
        purpose: "File to which the port of HTTP for services is written. Empty: none.")

    static let logLevel = Setting(
        "log.level", default: .text("info"),
        purpose: "Lowest level of the lines of the log: trace, debug, info, notice, warning, error or critical.")
    static let logFormat = Setting(
        "log.format", default: .text("text"),
        purpose: "Format of the lines of the log: text, or json (an object a line). journald gets their priorities.")
    static let logAudit = Setting(
        "log.audit", default: .text("wide"),
        purpose:
            "Requests that get an audit line in the log: none, wide (messages to more than named devices, updates, "
            + "resends, restored devices, channels made and deleted, removed nodes) or all (every message).")
    static let clientThreads = Setting(
        "clientThreads", default: .number(2, within: 1...64),
        purpose: "Threads that serve clients, and as many that send bulk; one for each core is enough.")
    static let bulkNiceness = Setting(
        "bulk.niceness", default: .number(10, within: 0...19),
        purpose:
            "Niceness of the threads that send bulk, send to browsers or make long reads, as in nice(1): how far they "
            + "yield to other threads. 0: not at all."
    )

    package static let all: [Setting] = [
        listenHost, listenPort, listenPortFile, listenUnixSocket, listenUnixSocketMode, listenCertificateFile,
        listenCertificateKeyFile,
        listenClientAuthoritiesFile, listenAllowPlaintext,
        dataPath, dataLimit,
        clusterURL, clusterNode, clusterAddress,
        appsFile, principalsFile, secretsAllowAccessByOthers,
        apnsProductionHost, apnsSandboxHost, apnsPort, apnsProductionChannelHost, apnsProductionChannelPort,
        apnsSandboxChannelHost, apnsSandboxChannelPort, apnsAuthoritiesFile,
        apnsMaximumConnections, apnsAnswerTimeoutSeconds,
        fcmHost, fcmPort, fcmAuthoritiesFile, fcmMaximumConnections, fcmAnswerTimeoutSeconds,
        webPushHosts, webPushInternalHosts, webPushAuthoritiesFile, webPushMaximumConnections,
        webPushAnswerTimeoutSeconds,
        proxyAddress, proxyCredentialsFile,
        poolsMinimumConnections, poolsMaximumConnectionAgeMinutes,
        limitsConnections, limitsHalfOpenConnections, limitsHalfOpenConnectionsPerAddress, limitsClientMemory,
        limitsKeepalive, limitsDrain,
        retentionIdempotency, retentionTombstones, retentionMessages, retentionQuarantine, retentionEvents,
        retentionMaximumEvents, silentPushes,
        metricsHost, metricsPort, metricsPortFile,
        consoleHost, consolePort, consolePortFile, consoleNames, httpHost, httpPort, httpPortFile,
        logLevel, logFormat, logAudit, clientThreads, bulkNiceness,
    ]
}
