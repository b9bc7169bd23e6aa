/// One setting: its name, type, default, bounds and purpose. The defaults, the limits, `carillond --help` and the
/// example file are all made from `all`.
package struct Setting: Hashable, Sendable {
    /// The type of a setting, with its default.
    package enum Value: Hashable, Sendable {
        case text(String)
        /// A whole number within bounds.
        case number(Int, ClosedRange<Int>)
        case flag(Bool)
    }

    /// The name in the file: `listen.port`.
    package let name: String
    /// The type and the default.
    package let value: Value
    /// The purpose, in one or two sentences.
    package let text: String
    /// True if SIGHUP reads it again.
    package let isReloaded: Bool

    init(_ name: String, _ value: Value, purpose text: String, isReloaded: Bool = false) {
        self.name = name
        self.value = value
        self.text = text
        self.isReloaded = isReloaded
    }

    /// The flag: `--listen-port-file` for `listen.portFile`.
    package var flag: String {
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
        "listen.host", .text("127.0.0.1"), purpose: "Address on which clients connect by TCP. Empty: no TCP.")
    static let listenPort = Setting(
        "listen.port", .number(7_474, 0...65_535),
        purpose: "TCP port for clients. 0: any free port; see listen.portFile.")
    static let listenPortFile = Setting(
        "listen.portFile", .text(""), purpose: "File to which the port is written when the server listens. Empty: none."
    )
    static let listenUnixSocket = Setting(
        "listen.unixSocket", .text(""), purpose: "Path of a Unix socket for clients on this machine. Empty: none.")
    static let listenUnixSocketMode = Setting(
        "listen.unixSocketMode", .text("0660"),
        purpose:
            "Mode of that socket, in octal digits, whatever the umask. Users who may write to it can connect; they "
            + "need a key."
    )
    static let listenCertificate = Setting(
        "listen.certificate", .text(""),
        purpose: "PEM certificate chain of the server, the leaf first. Empty: plaintext, on loopback only.",
        isReloaded: true)
    static let listenKey = Setting(
        "listen.key", .text(""), purpose: "PEM key of that certificate; readable by its owner only.", isReloaded: true)
    static let listenClientAuthorities = Setting(
        "listen.clientAuthorities", .text(""),
        purpose: "PEM authorities of client certificates. Empty: clients are not asked for one.", isReloaded: true)
    static let listenAllowPlaintext = Setting(
        "listen.allowPlaintext", .flag(false),
        purpose: "Serve plaintext on an address other than loopback, because the network itself is safe.")

    static let dataPath = Setting(
        "data.path", .text("/var/lib/carillon"),
        purpose: "Directory of the database; made if missing. A local disk with a real fsync, no network file system.")
    static let dataLimit = Setting(
        "data.limitMebibytes", .number(65_536, 8...1_048_576),
        purpose: "Largest size of the database, in MiB. Near it messages are refused first, then registrations.")

    static let clusterURL = Setting(
        "cluster.url", .text(""),
        purpose:
            "PostgreSQL with the shared log of a cluster, as postgresql://user@host/database; libpq reads passwords "
            + "and certificates as usual. Empty: this server is not a node of a cluster.")
    static let clusterNode = Setting(
        "cluster.node", .text(""),
        purpose: "Name of this node: 1 to 63 of a to z, 0 to 9, '-', '_', '.'. It belongs to the data directory.")
    static let clusterAddress = Setting(
        "cluster.address", .text(""), purpose: "Where clients reach this node, as host:port; other nodes show it.")

    static let appsFile = Setting(
        "apps.file", .text("/etc/carillon/apps.json"), purpose: "JSON file of apps and credentials.", isReloaded: true)
    static let secretsAllowOpenFiles = Setting(
        "secrets.allowOpenFiles", .flag(false),
        purpose: "Accept keys and passwords from files that other users can read, as some secret mounts make them.",
        isReloaded: true)
    static let principalsFile = Setting(
        "principals.file", .text("/etc/carillon/principals.json"),
        purpose: "JSON file of principals: the clients that may connect, their keys and their roles.", isReloaded: true)

    static let apnsProductionHost = Setting(
        "apns.productionHost", .text("api.push.apple.com"), purpose: "Host of APNs for production tokens.")
    static let apnsSandboxHost = Setting(
        "apns.sandboxHost", .text("api.sandbox.push.apple.com"), purpose: "Host of APNs for sandbox tokens.")
    static let apnsPort = Setting(
        "apns.port", .number(443, 1...65_535), purpose: "Port of both; Apple listens on 443 and 2197.")
    static let apnsProductionChannelHost = Setting(
        "apns.productionChannelHost", .text("api-manage-broadcast.push.apple.com"),
        purpose: "Host of APNs' channel management for production.")
    static let apnsProductionChannelPort = Setting(
        "apns.productionChannelPort", .number(2_196, 1...65_535), purpose: "Port of the channel management.")
    static let apnsSandboxChannelHost = Setting(
        "apns.sandboxChannelHost", .text("api-manage-broadcast.sandbox.push.apple.com"),
        purpose: "Host of APNs' channel management for the sandbox.")
    static let apnsSandboxChannelPort = Setting(
        "apns.sandboxChannelPort", .number(2_195, 1...65_535), purpose: "Port of it for the sandbox.")
    static let apnsAuthorities = Setting(
        "apns.authorities", .text(""),
        purpose: "PEM authorities that sign the certificate of APNs. Empty: those of the system.")
    static let apnsConnections = Setting(
        "apns.connections", .number(8, 1...64),
        purpose:
            "The most connections of a pool; a pool is one credential in one environment. Of several, one carries no "
            + "bulk. A fourth is opened only while the event loops have time left."
    )
    static let apnsMinimumConnections = Setting(
        "apns.minimumConnections", .number(1, 1...64),
        purpose: "Connections that a pool keeps after a quiet time. The first is opened when there is work.")
    static let apnsAgeMinutes = Setting(
        "apns.ageMinutes", .number(720, 1...10_080),
        purpose:
            "Age at which a connection is replaced, in minutes; a fifth less or more, so that not all are replaced at "
            + "once."
    )
    static let apnsAnswerSeconds = Setting(
        "apns.answerSeconds", .number(20, 1...300), purpose: "Longest wait for the answer to one push, in seconds.")

    static let fcmHost = Setting("fcm.host", .text("fcm.googleapis.com"), purpose: "Host name of Google's FCM service.")
    static let fcmPort = Setting("fcm.port", .number(443, 1...65_535), purpose: "TCP port on which FCM listens.")
    static let fcmAuthorities = Setting(
        "fcm.authorities", .text(""),
        purpose:
            "PEM authorities that sign the certificates of FCM and of its token endpoint. Empty: those of the system.")
    static let fcmConnections = Setting(
        "fcm.connections", .number(10, 1...64),
        purpose:
            "The most connections of a pool to FCM; a pool is one service account. FCM takes 100 pushes at a time on "
            + "each."
    )
    static let fcmAnswerSeconds = Setting(
        "fcm.answerSeconds", .number(20, 10...300),
        purpose: "Longest wait for the answer of FCM to one push, in seconds.")

    static let webPushHosts = Setting(
        "webPush.hosts", .text(""),
        purpose:
            "Push services beside those of the browsers, with spaces between them: push.example.com, *.example.com, "
            + "push.example.com:8443. Their addresses must be public.", isReloaded: true)
    static let webPushInternalHosts = Setting(
        "webPush.internalHosts", .text(""),
        purpose: "The same for push services in your own network, whose addresses need not be public.",
        isReloaded: true)
    static let webPushAuthorities = Setting(
        "webPush.authorities", .text(""),
        purpose: "PEM authorities that sign the certificates of push services. Empty: those of the system.")
    static let webPushConnections = Setting(
        "webPush.connections", .number(4, 1...64),
        purpose: "The most connections to one push service for one VAPID key.")
    static let webPushAnswerSeconds = Setting(
        "webPush.answerSeconds", .number(20, 1...300),
        purpose: "Longest wait for the answer of a push service, in seconds.")

    static let proxyAddress = Setting(
        "proxy.address", .text(""),
        purpose:
            "HTTP proxy on the path to APNs, FCM and the push services of browsers, as host:port; it must allow "
            + "CONNECT. Empty: none.")
    static let proxyCredentialsFile = Setting(
        "proxy.credentialsFile", .text(""),
        purpose: "File with user:password for the proxy, readable by its owner only. Empty: the proxy needs none.")

    static let limitsConnections = Setting(
        "limits.connections", .number(2_000, 1...100_000), purpose: "Client connections at a time.", isReloaded: true)
    static let limitsHalfOpenConnections = Setting(
        "limits.halfOpenConnections", .number(256, 1...100_000),
        purpose:
            "Client connections over TCP that have not authenticated. Beyond it a new one displaces the oldest of the "
            + "busiest address.", isReloaded: true)
    static let limitsHalfOpenConnectionsPerAddress = Setting(
        "limits.halfOpenConnectionsPerAddress", .number(64, 1...100_000),
        purpose:
            "Those of them from one IPv4 address or one /64 network of IPv6, and those over the Unix socket. Beyond it "
            + "a new one displaces the oldest.", isReloaded: true)
    static let limitsMemory = Setting(
        "limits.memoryMebibytes", .number(128, 8...1_048_576),
        purpose: "Memory that the requests and answers of all clients may take, in MiB. One client gets half.",
        isReloaded: true)
    static let limitsKeepalive = Setting(
        "limits.keepaliveSeconds", .number(30, 1...3_600),
        purpose: "Silence after which the server sends a PING to a client, in seconds.", isReloaded: true)
    static let limitsDrain = Setting(
        "limits.drainSeconds", .number(20, 1...600), purpose: "Time that clients have after SIGTERM, in seconds.")

    static let retentionIdempotency = Setting(
        "retention.idempotencyHours", .number(24, 1...720),
        purpose: "How long the idempotency key of a message is kept, in hours: a repeated send gets the first answer.")
    static let retentionTombstones = Setting(
        "retention.tombstoneDays", .number(30, 1...3_650),
        purpose:
            "How long the tombstone of a device is kept, in days: a late registration cannot bring the device back.")
    static let retentionMessages = Setting(
        "retention.messageDays", .number(7, 1...3_650),
        purpose: "How long a finished message and its outcomes are kept, in days.")
    static let retentionQuarantine = Setting(
        "retention.quarantineDays", .number(30, 1...3_650),
        purpose: "How long a device whose token was declared dead can be restored, in days.")
    static let retentionEvents = Setting(
        "retention.eventDays", .number(7, 1...3_650),
        purpose: "How long events are kept for subscribers that were away, in days.")
    static let eventsLimit = Setting(
        "events.limit", .number(1_000_000, 1_000...100_000_000),
        purpose: "The most events that are kept; beyond it the oldest are removed.")
    static let silentPushes = Setting(
        "silent.pushesPerHour", .number(3, 0...1_000),
        purpose: "Silent pushes that a device gets in an hour; APNs throttles what is more. 0: no bound.")

    static let metricsHost = Setting(
        "metrics.host", .text("127.0.0.1"),
        purpose: "Address of the HTTP port with /metrics, /healthz and /readyz. Empty: no such port.")
    static let metricsPort = Setting(
        "metrics.port", .number(7_475, 0...65_535),
        purpose: "Port of metrics and health. 0: any free port; see metrics.portFile.")
    static let metricsPortFile = Setting(
        "metrics.portFile", .text(""), purpose: "File to which the metrics port is written. Empty: none.")

    static let consoleHost = Setting(
        "console.host", .text("127.0.0.1"),
        purpose: "Address of the console, a website for operators. Outside loopback it needs listen.certificate.")
    static let consolePort = Setting(
        "console.port", .number(-1, -1...65_535),
        purpose: "Port of the console. -1: no console. 0: any free port; see console.portFile.")
    static let consolePortFile = Setting(
        "console.portFile", .text(""), purpose: "File to which the console's port is written. Empty: none.")
    static let consoleNames = Setting(
        "console.names", .text(""),
        purpose:
            "Names by which browsers reach the console, with spaces between them, beside console.host, the DNS names "
            + "of listen.certificate and the names of loopback. Requests for other names are refused.")
    static let httpHost = Setting(
        "http.host", .text("127.0.0.1"),
        purpose: "Address of the HTTP port for services. Outside loopback it needs listen.certificate.")
    static let httpPort = Setting(
        "http.port", .number(-1, -1...65_535),
        purpose: "Port of HTTP with JSON for services. -1: no such port. 0: any free port; see http.portFile.")
    static let httpPortFile = Setting(
        "http.portFile", .text(""), purpose: "File to which that port is written. Empty: none.")

    static let logLevel = Setting(
        "log.level", .text("info"), purpose: "trace, debug, info, notice, warning, error or critical.")
    static let logFormat = Setting(
        "log.format", .text("text"),
        purpose: "Form of the lines of the log: text, or json (an object a line). journald gets their priorities.")
    static let logAudit = Setting(
        "log.audit", .text("wide"),
        purpose:
            "Requests that get an audit line in the log: none, wide (messages to more than named devices, updates, "
            + "resends, restored devices, channels made and deleted, removed nodes) or all (every message).")
    static let threads = Setting(
        "threads", .number(2, 1...64),
        purpose: "Threads that serve clients, and as many that send bulk; one for each core is enough.")
    static let bulkNiceness = Setting(
        "bulk.niceness", .number(10, 0...19),
        purpose:
            "Niceness of the threads that send bulk, as in nice(1): how far they yield to other threads. 0: not at all."
    )

    /// Every setting.
    package static let all: [Setting] = [
        listenHost, listenPort, listenPortFile, listenUnixSocket, listenUnixSocketMode, listenCertificate, listenKey,
        listenClientAuthorities, listenAllowPlaintext,
        dataPath, dataLimit,
        clusterURL, clusterNode, clusterAddress,
        appsFile, principalsFile, secretsAllowOpenFiles,
        apnsProductionHost, apnsSandboxHost, apnsPort, apnsProductionChannelHost, apnsProductionChannelPort,
        apnsSandboxChannelHost, apnsSandboxChannelPort, apnsAuthorities,
        apnsConnections, apnsMinimumConnections, apnsAgeMinutes, apnsAnswerSeconds,
        fcmHost, fcmPort, fcmAuthorities, fcmConnections, fcmAnswerSeconds,
        webPushHosts, webPushInternalHosts, webPushAuthorities, webPushConnections, webPushAnswerSeconds,
        proxyAddress, proxyCredentialsFile,
        limitsConnections, limitsHalfOpenConnections, limitsHalfOpenConnectionsPerAddress, limitsMemory,
        limitsKeepalive, limitsDrain,
        retentionIdempotency, retentionTombstones, retentionMessages, retentionQuarantine, retentionEvents,
        eventsLimit, silentPushes,
        metricsHost, metricsPort, metricsPortFile,
        consoleHost, consolePort, consolePortFile, consoleNames, httpHost, httpPort, httpPortFile,
        logLevel, logFormat, logAudit, threads, bulkNiceness,
    ]
}
