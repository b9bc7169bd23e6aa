/// One setting: its name, type, default, bounds and purpose. The defaults, the limits, `carillond --help` and the
/// example file are all made from `all`.
package struct Setting: Hashable, Sendable {
    /// The type of a setting, with its default.
    package enum Value: Hashable, Sendable {
        /// A text.
        case text(String)
        /// A whole number within bounds.
        case number(Int, ClosedRange<Int>)
        /// True or false.
        case flag(Bool)
    }

    /// The name in the file: `listen.port`.
    package let name: String
    /// Type and default.
    package let value: Value
    /// The purpose, in one or two sentences.
    package let text: String
    /// True if SIGHUP reads it again.
    package let isReloaded: Bool

    init(_ name: String, _ value: Value, _ text: String, isReloaded: Bool = false) {
        self.name = name
        self.value = value
        self.text = text
        self.isReloaded = isReloaded
    }

    /// The flag: `--listen-port-file` for `listen.portFile`.
    package var flag: String {
        "--" + name.map { $0 == "." ? "-" : $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }

    /// The environment variable: `CARILLON_LISTEN_PORT_FILE` for `listen.portFile`.
    package var variable: String {
        "CARILLON_" + flag.dropFirst(2).map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }
}

/// The settings, as the example file lists them.
extension Setting {
    static let listenHost = Setting(
        "listen.host", .text("127.0.0.1"), "Address on which clients connect by TCP. Empty: no TCP.")
    static let listenPort = Setting(
        "listen.port", .number(7_474, 0...65_535), "TCP port for clients. 0: any free port; see listen.portFile.")
    static let listenPortFile = Setting(
        "listen.portFile", .text(""), "File to which the port is written when the server listens. Empty: none.")
    static let listenUnixSocket = Setting(
        "listen.unixSocket", .text(""), "Path of a Unix socket for clients on this machine. Empty: none.")
    static let listenUnixSocketMode = Setting(
        "listen.unixSocketMode", .text("0660"),
        "Mode of that socket, in octal digits, whatever the umask. Users who may write to it can connect; they need a key."
    )
    static let listenCertificate = Setting(
        "listen.certificate", .text(""),
        "PEM certificate chain of the server, the leaf first. Empty: plaintext, on loopback only.", isReloaded: true)
    static let listenKey = Setting(
        "listen.key", .text(""), "PEM key of that certificate; readable by its owner only.", isReloaded: true)
    static let listenClientAuthorities = Setting(
        "listen.clientAuthorities", .text(""),
        "PEM authorities of client certificates. Empty: clients are not asked for one.", isReloaded: true)
    static let listenAllowPlaintext = Setting(
        "listen.allowPlaintext", .flag(false),
        "Serve plaintext on an address other than loopback, because the network itself is safe.")

    static let dataPath = Setting(
        "data.path", .text("/var/lib/carillon"),
        "Directory of the database; made if missing. A local disk with a real fsync, no network file system.")
    static let dataLimit = Setting(
        "data.limitMebibytes", .number(65_536, 8...1_048_576),
        "Largest size of the database, in MiB. Near it messages are refused first, then registrations.")

    static let appsFile = Setting(
        "apps.file", .text("/etc/carillon/apps.json"), "JSON file of apps and credentials.", isReloaded: true)
    static let secretsAllowOpenFiles = Setting(
        "secrets.allowOpenFiles", .flag(false),
        "Accept keys and passwords from files that other users can read, as some secret mounts make them.",
        isReloaded: true)
    static let principalsFile = Setting(
        "principals.file", .text("/etc/carillon/principals.json"),
        "JSON file of principals: the clients that may connect, their keys and their roles.", isReloaded: true)

    static let apnsProductionHost = Setting(
        "apns.productionHost", .text("api.push.apple.com"), "Host of APNs for production tokens.")
    static let apnsSandboxHost = Setting(
        "apns.sandboxHost", .text("api.sandbox.push.apple.com"), "Host of APNs for sandbox tokens.")
    static let apnsPort = Setting(
        "apns.port", .number(443, 1...65_535), "Port of both; Apple listens on 443 and 2197.")
    static let apnsAuthorities = Setting(
        "apns.authorities", .text(""), "PEM authorities that sign the certificate of APNs. Empty: those of the system.")
    static let apnsProxy = Setting(
        "apns.proxy", .text(""), "HTTP proxy on the path to APNs, as host:port; it must allow CONNECT. Empty: none.")
    static let apnsProxyCredentials = Setting(
        "apns.proxyCredentialsFile", .text(""),
        "File with user:password for the proxy, readable by its owner only. Empty: the proxy needs none.")
    static let apnsConnections = Setting(
        "apns.connections", .number(8, 1...64),
        "The most connections of a pool; a pool is one credential in one environment. Of several, one carries no bulk."
    )
    static let apnsMinimumConnections = Setting(
        "apns.minimumConnections", .number(1, 1...64),
        "Connections that a pool keeps after a quiet time. The first is opened when there is work.")
    static let apnsAgeMinutes = Setting(
        "apns.ageMinutes", .number(720, 1...10_080),
        "Age at which a connection is replaced, in minutes; a fifth less or more, so that not all are replaced at once."
    )
    static let apnsAnswerSeconds = Setting(
        "apns.answerSeconds", .number(20, 1...300), "Longest wait for the answer to one push, in seconds.")

    static let limitsConnections = Setting(
        "limits.connections", .number(2_000, 1...100_000), "Client connections at a time.", isReloaded: true)
    static let limitsHandshakes = Setting(
        "limits.handshakes", .number(256, 1...100_000),
        "Client connections over TCP that have not authenticated. Beyond it a new one displaces the oldest of the busiest "
            + "address.", isReloaded: true)
    static let limitsHandshakesPerAddress = Setting(
        "limits.handshakesPerAddress", .number(64, 1...100_000),
        "Those of them from one IPv4 address or one /64 network of IPv6, and those over the Unix socket. Beyond it a new "
            + "one displaces the oldest.", isReloaded: true)
    static let limitsKeepalive = Setting(
        "limits.keepaliveSeconds", .number(30, 1...3_600),
        "Silence after which the server sends a PING to a client, in seconds.", isReloaded: true)
    static let limitsDrain = Setting(
        "limits.drainSeconds", .number(20, 1...600), "Time that clients have after SIGTERM, in seconds.")

    static let retentionIdempotency = Setting(
        "retention.idempotencyHours", .number(24, 1...720),
        "How long the idempotency key of a message is kept, in hours: a repeated send gets the first answer.")
    static let retentionTombstones = Setting(
        "retention.tombstoneDays", .number(30, 1...3_650),
        "How long the tombstone of a device is kept, in days: a late registration cannot bring the device back.")
    static let retentionMessages = Setting(
        "retention.messageDays", .number(7, 1...3_650),
        "How long a finished message and its outcomes are kept, in days.")
    static let retentionQuarantine = Setting(
        "retention.quarantineDays", .number(30, 1...3_650),
        "How long a device whose token APNs has declared dead can be restored, in days.")
    static let retentionEvents = Setting(
        "retention.eventDays", .number(7, 1...3_650),
        "How long events are kept for subscribers that were away, in days.")
    static let eventsLimit = Setting(
        "events.limit", .number(1_000_000, 1_000...100_000_000),
        "The most events that are kept; beyond it the oldest are removed.")
    static let silentPushes = Setting(
        "silent.pushesPerHour", .number(3, 0...1_000),
        "Silent pushes that a device gets in an hour; APNs throttles what is more. 0: no bound.")

    static let metricsHost = Setting(
        "metrics.host", .text("127.0.0.1"),
        "Address of the HTTP port with /metrics, /healthz and /readyz. Empty: no such port.")
    static let metricsPort = Setting(
        "metrics.port", .number(7_475, 0...65_535),
        "Port of metrics and health. 0: any free port; see metrics.portFile.")
    static let metricsPortFile = Setting(
        "metrics.portFile", .text(""), "File to which the metrics port is written. Empty: none.")

    static let logLevel = Setting(
        "log.level", .text("info"), "trace, debug, info, notice, warning, error or critical.")
    static let threads = Setting(
        "threads", .number(2, 1...64),
        "Threads that serve clients, and as many that send bulk; one for each core is enough.")
    static let bulkNiceness = Setting(
        "bulk.niceness", .number(10, 0...19),
        "Niceness of the threads that send bulk, as in nice(1): how far they yield to other threads. 0: not at all.")

    /// Every setting.
    package static let all: [Setting] = [
        listenHost, listenPort, listenPortFile, listenUnixSocket, listenUnixSocketMode, listenCertificate, listenKey,
        listenClientAuthorities, listenAllowPlaintext,
        dataPath, dataLimit,
        appsFile, principalsFile, secretsAllowOpenFiles,
        apnsProductionHost, apnsSandboxHost, apnsPort, apnsAuthorities, apnsProxy, apnsProxyCredentials,
        apnsConnections, apnsMinimumConnections, apnsAgeMinutes, apnsAnswerSeconds,
        limitsConnections, limitsHandshakes, limitsHandshakesPerAddress, limitsKeepalive, limitsDrain,
        retentionIdempotency, retentionTombstones, retentionMessages, retentionQuarantine, retentionEvents,
        eventsLimit, silentPushes,
        metricsHost, metricsPort, metricsPortFile,
        logLevel, threads, bulkNiceness,
    ]
}
