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

    /// Reads the settings; what is absent has its default, what is there and of another type is refused.
    package init(_ config: ConfigReader) throws(SettingsError) {
        listen = Listen(
            host: try config.text("listen.host", "127.0.0.1"),
            port: try config.number("listen.port", 7474),
            portFile: try config.text("listen.portFile", ""),
            unixSocket: try config.text("listen.unixSocket", ""),
            certificate: try config.text("listen.certificate", ""),
            key: try config.text("listen.key", ""),
            clientAuthorities: try config.text("listen.clientAuthorities", ""),
            allowPlaintext: try config.flag("listen.allowPlaintext", false))
        apns = APNs(
            productionHost: try config.text("apns.productionHost", "api.push.apple.com"),
            sandboxHost: try config.text("apns.sandboxHost", "api.sandbox.push.apple.com"),
            port: try config.number("apns.port", 443),
            authorities: try config.text("apns.authorities", ""),
            connections: try config.number("apns.connections", 8),
            answerSeconds: try config.number("apns.answerSeconds", 20))
        data = Data(
            path: try config.text("data.path", "/var/lib/carillon"),
            limitMebibytes: try config.number("data.limitMebibytes", 65_536))
        limits = Limits(
            connections: try config.number("limits.connections", 2_000),
            handshakes: try config.number("limits.handshakes", 256),
            handshakesPerAddress: try config.number("limits.handshakesPerAddress", 64),
            keepaliveSeconds: try config.number("limits.keepaliveSeconds", 30),
            drainSeconds: try config.number("limits.drainSeconds", 20))
        appsFile = try config.text("apps.file", "/etc/carillon/apps.json")
        principalsFile = try config.text("principals.file", "/etc/carillon/principals.json")
        logLevel = try config.text("log.level", "info")
        threads = try config.number("threads", 2)
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

extension ConfigReader {
    /// A text, or the default if there is none.
    fileprivate func text(_ name: ConfigKey, _ standard: String) throws(SettingsError) -> String {
        try value(name, "a text", string(forKey: name), standard)
    }

    /// A whole number, or the default if there is none.
    fileprivate func number(_ name: ConfigKey, _ standard: Int) throws(SettingsError) -> Int {
        try value(name, "a whole number", int(forKey: name), standard)
    }

    /// True or false, or the default if there is none.
    fileprivate func flag(_ name: ConfigKey, _ standard: Bool) throws(SettingsError) -> Bool {
        try value(name, "true or false", bool(forKey: name), standard)
    }

    private func value<T>(_ name: ConfigKey, _ type: String, _ found: T?, _ standard: T) throws(SettingsError) -> T {
        if let found { return found }
        // A value that is there and cannot be read as what it should be would otherwise pass for absent.
        let isThere =
            string(forKey: name) != nil || int(forKey: name) != nil || double(forKey: name) != nil
            || bool(forKey: name) != nil || stringArray(forKey: name) != nil
        guard !isThere else { throw SettingsError("\(name)", "must be \(type)") }
        return standard
    }
}
