package import Configuration
import Logging

/// Everything that can be set, from three places: flags over environment over file.
///
/// A setting `listen.port` is `--listen-port` as a flag, `CARILLON_LISTEN_PORT` in the environment and
/// `{"listen": {"port": …}}` in the file.
package struct Settings: Sendable, Hashable {
    /// Where and how clients connect.
    package struct Listen: Sendable, Hashable {
        /// Address for TCP; empty = no TCP.
        package var host: String
        /// TCP port; 0 = one that is free.
        package var port: Int
        /// File to write the TCP port into, once bound; empty = none.
        package var portFile: String
        /// Path of a Unix socket; empty = none.
        package var unixSocket: String
        /// PEM chain for TLS; empty = plaintext.
        package var certificate: String
        /// PEM key for TLS, readable by the owner only.
        package var key: String
        /// PEM authorities of client certificates; empty = none are asked for.
        package var clientAuthorities: String
        /// Allow plaintext on addresses other than loopback.
        package var allowPlaintext: Bool
    }

    /// How APNs is reached.
    package struct APNs: Sendable, Hashable {
        /// Host for production.
        package var productionHost: String
        /// Host for sandbox.
        package var sandboxHost: String
        /// Port of both: 443 or 2197 with Apple.
        package var port: Int
        /// PEM authorities; empty = those of the system.
        package var authorities: String
        /// Connections of a pool at most.
        package var connections: Int
        /// Longest wait for one answer, in seconds.
        package var answerSeconds: Int
    }

    /// Where the registry lies.
    package struct Data: Sendable, Hashable {
        /// Directory of the database.
        package var path: String
        /// Largest size of the database, in mebibytes.
        package var limitMebibytes: Int
    }

    /// Limits of the listening side.
    package struct Limits: Sendable, Hashable {
        /// Connections at a time.
        package var connections: Int
        /// Connections that are not open yet.
        package var handshakes: Int
        /// Of these, from one address.
        package var handshakesPerAddress: Int
        /// Silence after which the server pings, in seconds.
        package var keepaliveSeconds: Int
        /// From SIGTERM to the end, in seconds.
        package var drainSeconds: Int
    }

    /// Where and how clients connect.
    package var listen: Listen
    /// How APNs is reached.
    package var apns: APNs
    /// Where the registry lies.
    package var data: Data
    /// Limits of the listening side.
    package var limits: Limits
    /// JSON file of apps and credentials.
    package var appsFile: String
    /// JSON file of principals.
    package var principalsFile: String
    /// `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    package var logLevel: String
    /// Event loop threads.
    package var threads: Int

    /// Every setting, as it is named in the file.
    package static let names = [
        "listen.host", "listen.port", "listen.portFile", "listen.unixSocket", "listen.certificate", "listen.key",
        "listen.clientAuthorities", "listen.allowPlaintext",
        "data.path", "data.limitMebibytes",
        "apps.file", "principals.file",
        "apns.productionHost", "apns.sandboxHost", "apns.port", "apns.authorities", "apns.connections",
        "apns.answerSeconds",
        "limits.connections", "limits.handshakes", "limits.handshakesPerAddress", "limits.keepaliveSeconds",
        "limits.drainSeconds",
        "log.level", "threads",
    ]

    /// Reads the settings; what is absent has its default.
    package init(_ config: ConfigReader) {
        listen = Listen(
            host: config.string(forKey: "listen.host", default: "127.0.0.1"),
            port: config.int(forKey: "listen.port", default: 7474),
            portFile: config.string(forKey: "listen.portFile", default: ""),
            unixSocket: config.string(forKey: "listen.unixSocket", default: ""),
            certificate: config.string(forKey: "listen.certificate", default: ""),
            key: config.string(forKey: "listen.key", default: ""),
            clientAuthorities: config.string(forKey: "listen.clientAuthorities", default: ""),
            allowPlaintext: config.bool(forKey: "listen.allowPlaintext", default: false))
        apns = APNs(
            productionHost: config.string(forKey: "apns.productionHost", default: "api.push.apple.com"),
            sandboxHost: config.string(forKey: "apns.sandboxHost", default: "api.sandbox.push.apple.com"),
            port: config.int(forKey: "apns.port", default: 443),
            authorities: config.string(forKey: "apns.authorities", default: ""),
            connections: config.int(forKey: "apns.connections", default: 8),
            answerSeconds: config.int(forKey: "apns.answerSeconds", default: 20))
        data = Data(
            path: config.string(forKey: "data.path", default: "/var/lib/carillon"),
            limitMebibytes: config.int(forKey: "data.limitMebibytes", default: 65_536))
        limits = Limits(
            connections: config.int(forKey: "limits.connections", default: 2_000),
            handshakes: config.int(forKey: "limits.handshakes", default: 256),
            handshakesPerAddress: config.int(forKey: "limits.handshakesPerAddress", default: 64),
            keepaliveSeconds: config.int(forKey: "limits.keepaliveSeconds", default: 30),
            drainSeconds: config.int(forKey: "limits.drainSeconds", default: 20))
        appsFile = config.string(forKey: "apps.file", default: "/etc/carillon/apps.json")
        principalsFile = config.string(forKey: "principals.file", default: "/etc/carillon/principals.json")
        logLevel = config.string(forKey: "log.level", default: "info")
        threads = config.int(forKey: "threads", default: 2)
    }

    /// Refuses what cannot work, before anything is opened.
    package func validate() throws(SettingsError) {
        try Self.check(listen.port, in: 0...65_535, "listen.port")
        try Self.check(apns.port, in: 1...65_535, "apns.port")
        try Self.check(apns.connections, in: 1...64, "apns.connections")
        try Self.check(apns.answerSeconds, in: 1...300, "apns.answerSeconds")
        try Self.check(data.limitMebibytes, in: 8...1_048_576, "data.limitMebibytes")
        try Self.check(limits.connections, in: 1...100_000, "limits.connections")
        try Self.check(limits.handshakes, in: 1...100_000, "limits.handshakes")
        try Self.check(limits.handshakesPerAddress, in: 1...100_000, "limits.handshakesPerAddress")
        try Self.check(limits.keepaliveSeconds, in: 1...3_600, "limits.keepaliveSeconds")
        try Self.check(limits.drainSeconds, in: 1...600, "limits.drainSeconds")
        try Self.check(threads, in: 1...64, "threads")
        guard Logger.Level(rawValue: logLevel) != nil else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError("log.level", "is \(logLevel); it must be one of \(levels)")
        }
        if listen.host.isEmpty && listen.unixSocket.isEmpty {
            throw SettingsError("listen.host", "is empty, and so is listen.unixSocket: nobody could connect")
        }
        if listen.certificate.isEmpty != listen.key.isEmpty {
            throw SettingsError("listen.key", "listen.certificate and listen.key go together")
        }
        if !listen.clientAuthorities.isEmpty && listen.certificate.isEmpty {
            throw SettingsError("listen.clientAuthorities", "client certificates need TLS: set listen.certificate")
        }
    }

    private static func check(_ value: Int, in range: ClosedRange<Int>, _ name: String) throws(SettingsError) {
        guard range.contains(value) else {
            throw SettingsError(name, "is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

/// A setting, or a file that a setting names, that cannot be used. The server does not start.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting or file.
    package var place: String
    /// What is wrong and what to do.
    package var text: String

    /// Makes an error.
    package init(_ place: String, _ text: String) {
        self.place = place
        self.text = text
    }

    /// Place and text.
    package var description: String { "\(place): \(text)" }
}
