import CarillonAPNs
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
        /// HTTP proxy on the way, `host:port`; empty = none.
        package var proxy: String
        /// File with `user:password` for the proxy; empty = none.
        package var proxyCredentialsFile: String
        /// Connections of a pool at most.
        package var connections: Int
        /// Connections that a pool keeps after a quiet time.
        package var minimumConnections: Int
        /// Age at which a connection is replaced, in minutes.
        package var ageMinutes: Int
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

    /// How long things are kept.
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
        /// Events at most.
        package var events: Int
    }

    /// Where metrics and health are asked for.
    package struct Metrics: Sendable, Hashable {
        /// Address of the HTTP port; empty = none.
        package var host: String
        /// TCP port; 0 = one that is free.
        package var port: Int
        /// File to write the port into; empty = none.
        package var portFile: String
    }

    /// Where and how clients connect.
    package var listen: Listen
    /// How APNs is reached.
    package var apns: APNs
    /// Where the registry lies.
    package var data: Data
    /// Limits of the listening side.
    package var limits: Limits
    /// How long things are kept.
    package var retention: Retention
    /// Silent pushes that a device gets in an hour; 0 = no bound.
    package var silentPushesPerHour: Int
    /// Where metrics and health are asked for.
    package var metrics: Metrics
    /// JSON file of apps and credentials.
    package var appsFile: String
    /// Take secrets from files that others can read.
    package var allowsOpenFiles: Bool
    /// JSON file of principals.
    package var principalsFile: String
    /// `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    package var logLevel: String
    /// Threads that serve clients, and as many that send bulk.
    package var threads: Int
    /// How far threads that send bulk give way to others: 0 to 19.
    package var bulkNiceness: Int

    /// Reads the settings; what is absent has its default, what is there and of another type is refused.
    package init(_ config: ConfigReader) throws(SettingsError) {
        listen = Listen(
            host: try config.text(.listenHost),
            port: try config.number(.listenPort),
            portFile: try config.text(.listenPortFile),
            unixSocket: try config.text(.listenUnixSocket),
            certificate: try config.text(.listenCertificate),
            key: try config.text(.listenKey),
            clientAuthorities: try config.text(.listenClientAuthorities),
            allowPlaintext: try config.flag(.listenAllowPlaintext))
        apns = APNs(
            productionHost: try config.text(.apnsProductionHost),
            sandboxHost: try config.text(.apnsSandboxHost),
            port: try config.number(.apnsPort),
            authorities: try config.text(.apnsAuthorities),
            proxy: try config.text(.apnsProxy),
            proxyCredentialsFile: try config.text(.apnsProxyCredentials),
            connections: try config.number(.apnsConnections),
            minimumConnections: try config.number(.apnsMinimumConnections),
            ageMinutes: try config.number(.apnsAgeMinutes),
            answerSeconds: try config.number(.apnsAnswerSeconds))
        data = Data(
            path: try config.text(.dataPath),
            limitMebibytes: try config.number(.dataLimit))
        limits = Limits(
            connections: try config.number(.limitsConnections),
            handshakes: try config.number(.limitsHandshakes),
            handshakesPerAddress: try config.number(.limitsHandshakesPerAddress),
            keepaliveSeconds: try config.number(.limitsKeepalive),
            drainSeconds: try config.number(.limitsDrain))
        retention = Retention(
            idempotencyHours: try config.number(.retentionIdempotency),
            tombstoneDays: try config.number(.retentionTombstones),
            messageDays: try config.number(.retentionMessages),
            quarantineDays: try config.number(.retentionQuarantine),
            eventDays: try config.number(.retentionEvents),
            events: try config.number(.eventsLimit))
        silentPushesPerHour = try config.number(.silentPushes)
        metrics = Metrics(
            host: try config.text(.metricsHost),
            port: try config.number(.metricsPort),
            portFile: try config.text(.metricsPortFile))
        appsFile = try config.text(.appsFile)
        allowsOpenFiles = try config.flag(.secretsAllowOpenFiles)
        principalsFile = try config.text(.principalsFile)
        logLevel = try config.text(.logLevel)
        threads = try config.number(.threads)
        bulkNiceness = try config.number(.bulkNiceness)
    }

    /// Refuses what cannot work, before anything is opened.
    package func validate() throws(SettingsError) {
        for problem in problems { throw problem }
    }

    /// Everything that cannot work, as far as it shows without opening anything.
    package var problems: [SettingsError] {
        outOfBounds + contradictions
    }

    private var outOfBounds: [SettingsError] {
        let numbers: [(Setting, Int)] = [
            (.listenPort, listen.port), (.dataLimit, data.limitMebibytes),
            (.apnsPort, apns.port), (.apnsConnections, apns.connections),
            (.apnsMinimumConnections, apns.minimumConnections), (.apnsAgeMinutes, apns.ageMinutes),
            (.apnsAnswerSeconds, apns.answerSeconds),
            (.limitsConnections, limits.connections), (.limitsHandshakes, limits.handshakes),
            (.limitsHandshakesPerAddress, limits.handshakesPerAddress), (.limitsKeepalive, limits.keepaliveSeconds),
            (.limitsDrain, limits.drainSeconds),
            (.retentionIdempotency, retention.idempotencyHours), (.retentionTombstones, retention.tombstoneDays),
            (.retentionMessages, retention.messageDays), (.retentionQuarantine, retention.quarantineDays),
            (.retentionEvents, retention.eventDays), (.eventsLimit, retention.events),
            (.silentPushes, silentPushesPerHour),
            (.metricsPort, metrics.port), (.threads, threads), (.bulkNiceness, bulkNiceness),
        ]
        return numbers.compactMap { setting, value in
            guard case .number(_, let range) = setting.value, !range.contains(value) else { return nil }
            return SettingsError(setting.name, "is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private var contradictions: [SettingsError] {
        var problems: [SettingsError] = []
        if Logger.Level(rawValue: logLevel) == nil {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            problems.append(SettingsError("log.level", "is \(logLevel); it must be one of \(levels)"))
        }
        if listen.host.isEmpty && listen.unixSocket.isEmpty {
            problems.append(
                SettingsError("listen.host", "is empty, and so is listen.unixSocket: nobody could connect"))
        }
        if listen.certificate.isEmpty != listen.key.isEmpty {
            problems.append(SettingsError("listen.key", "listen.certificate and listen.key go together"))
        }
        if !listen.clientAuthorities.isEmpty && listen.certificate.isEmpty {
            problems.append(
                SettingsError("listen.clientAuthorities", "client certificates need TLS: set listen.certificate"))
        }
        if apns.minimumConnections > apns.connections {
            problems.append(
                SettingsError("apns.minimumConnections", "is more than apns.connections, which is \(apns.connections)"))
        }
        if !apns.proxy.isEmpty && Proxy.address(apns.proxy) == nil {
            problems.append(
                SettingsError("apns.proxy", "is \(apns.proxy); it must be host:port, as proxy.internal:3128"))
        }
        if apns.proxy.isEmpty && !apns.proxyCredentialsFile.isEmpty {
            problems.append(SettingsError("apns.proxyCredentialsFile", "is for a proxy: set apns.proxy"))
        }
        return problems
    }
}

extension Settings {
    /// What a running server makes of settings that were read again.
    struct Reread: Sendable {
        /// The old ones with what may change while the server runs.
        var reloaded: Settings
        /// Whether others have changed as well.
        var needsRestart: Bool
    }

    /// Takes over what `Setting.isReloaded` says.
    func takingOver(_ new: Settings) -> Reread {
        var reloaded = self
        reloaded.appsFile = new.appsFile
        reloaded.principalsFile = new.principalsFile
        reloaded.allowsOpenFiles = new.allowsOpenFiles
        reloaded.listen.certificate = new.listen.certificate
        reloaded.listen.key = new.listen.key
        reloaded.listen.clientAuthorities = new.listen.clientAuthorities
        let drainSeconds = limits.drainSeconds
        reloaded.limits = new.limits
        reloaded.limits.drainSeconds = drainSeconds
        return Reread(reloaded: reloaded, needsRestart: reloaded != new)
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
    fileprivate func text(_ setting: Setting) throws(SettingsError) -> String {
        let key = ConfigKey(setting.name)
        guard case .text(let standard) = setting.value else { return "" }
        return try value(key, "a text", string(forKey: key), standard)
    }

    /// A whole number, or the default if there is none.
    fileprivate func number(_ setting: Setting) throws(SettingsError) -> Int {
        let key = ConfigKey(setting.name)
        guard case .number(let standard, _) = setting.value else { return 0 }
        return try value(key, "a whole number", int(forKey: key), standard)
    }

    /// True or false, or the default if there is none.
    fileprivate func flag(_ setting: Setting) throws(SettingsError) -> Bool {
        let key = ConfigKey(setting.name)
        guard case .flag(let standard) = setting.value else { return false }
        return try value(key, "true or false", bool(forKey: key), standard)
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
