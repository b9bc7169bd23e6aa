import CarillonCore
import CarillonProvider
import CarillonTLS
import CarillonTransport
import Foundation
import NIOCore

/// The settings and the files that they name, read and checked. SIGHUP replaces it as a whole or not at all.
struct Deployment: Sendable {
    let settings: Settings
    /// The apps and their credentials' names.
    let apps: AppsFile
    let credentials: [String: LoadedCredential]
    let principals: PrincipalsFile
    /// TLS for clients; nil for plaintext.
    let tls: TLSContext?
    /// TLS for the HTTP ports; nil without a certificate.
    let httpTLS: TLSContext?
    /// The hash of the file of authorities of client certificates; empty without such a file.
    let clientAuthoritiesHash: [UInt8]
    /// The server's own certificate; nil for plaintext.
    let certificate: Certificate?
    /// The proxy on the path to all providers; nil for a direct path.
    let proxy: Proxy?
    /// The credentials for the proxy; nil if it needs none.
    let proxyCredentials: ProxyCredentials?

    /// Reads everything; opens no socket and no database. Throws the first problem.
    init(_ settings: Settings) throws(SettingsError) {
        var problems: [SettingsError] = []
        guard let read = Self(settings, problems: &problems) else {
            throw problems.first ?? SettingsError("settings", fault: "cannot be used")
        }
        self = read
    }

    /// Reads everything, and appends all problems; nil if one was found.
    init?(_ settings: Settings, problems: inout [SettingsError]) {
        problems += settings.problems
        self.settings = settings
        let refusesReadableByOthers = !settings.allowsAccessByOthers
        let apps = Self.collectingProblem(in: &problems) { () throws(SettingsError) in
            try AppsFile.load(path: settings.appsFile, refusesWritableByOthers: refusesReadableByOthers)
        }
        let principals = Self.collectingProblem(in: &problems) { () throws(SettingsError) in
            try PrincipalsFile.load(path: settings.principalsFile, refusesWritableByOthers: refusesReadableByOthers)
        }
        let credentials = Self.credentials(of: apps, settings: settings, problems: &problems)
        // The hash is made before TLS reads the file. So a file that changes in between counts as changed at the next
        // reload.
        clientAuthoritiesHash = Self.hash(ofFile: settings.listen.clientAuthoritiesFile)
        let identity: TLSIdentity? =
            Self.collectingProblem(in: &problems) { () throws(SettingsError) in try Self.identity(settings) } ?? nil
        tls =
            Self.collectingProblem(in: &problems) { () throws(SettingsError) in
                try Self.tls(settings.listen, identity: identity)
            } ?? nil
        httpTLS =
            Self.collectingProblem(in: &problems) { () throws(SettingsError) in try Self.httpTLS(identity) } ?? nil
        certificate = identity?.certificate
        proxy = Proxy.address(settings.proxy.address).map { Proxy(host: $0.host, port: $0.port) }
        proxyCredentials =
            Self.collectingProblem(in: &problems) { () throws(SettingsError) in
                try Self.proxyCredentials(settings)
            } ?? nil
        Self.collectingProblem(in: &problems) { () throws(SettingsError) in try Self.checkExposure(settings.listen) }
        problems += Self.unusableAuthorities(settings)
        if let apps {
            problems += Self.unfitCertificates(apps, credentials: credentials, path: settings.appsFile)
            problems += Self.unequalQuotas(apps, credentials: credentials, path: settings.appsFile)
        }
        guard problems.isEmpty, let apps, let principals else { return nil }
        self.apps = apps
        self.principals = principals
        self.credentials = Self.shareTokens(credentials)
    }

    /// Loads the credentials of the apps; a credential that cannot be loaded is missing.
    private static func credentials(
        of apps: AppsFile?, settings: Settings, problems: inout [SettingsError]
    ) -> [String: LoadedCredential] {
        var credentials: [String: LoadedCredential] = [:]
        for (name, credential) in (apps?.credentials ?? [:]).sorted(by: { $0.key < $1.key }) {
            credentials[name] = collectingProblem(in: &problems) { () throws(SettingsError) in
                try credential.load(
                    at: "\(settings.appsFile): credential \(name)", beside: settings.appsFile,
                    refusesReadableByOthers: !settings.allowsAccessByOthers)
            }
        }
        return credentials
    }

    /// Returns the result of `body`; nil if it fails, and then its problem is appended.
    @discardableResult
    private static func collectingProblem<T>(
        in problems: inout [SettingsError], _ body: () throws(SettingsError) -> T
    ) -> T? {
        do throws(SettingsError) {
            return try body()
        } catch {
            problems.append(error)
            return nil
        }
    }

    /// Makes credentials of the same team and key share one source of tokens: Apple limits new tokens by key.
    private static func shareTokens(_ credentials: [String: LoadedCredential]) -> [String: LoadedCredential] {
        var first: [[UInt8]: LoadedCredential] = [:]
        for (_, credential) in credentials.sorted(by: { $0.key < $1.key }) where first[credential.fingerprint] == nil {
            first[credential.fingerprint] = credential
        }
        return credentials.mapValues { first[$0.fingerprint] ?? $0 }
    }

    /// Returns this deployment with the old deployment's credentials where they have not changed. So a token that is
    /// still good is not made again.
    func keepingCredentials(of old: Deployment) -> Deployment {
        let known = Dictionary(old.credentials.values.map { ($0.fingerprint, $0) }) { first, _ in first }
        return Deployment(self, credentials: credentials.mapValues { known[$0.fingerprint] ?? $0 })
    }

    private init(_ other: Deployment, credentials: [String: LoadedCredential]) {
        settings = other.settings
        apps = other.apps
        self.credentials = credentials
        principals = other.principals
        tls = other.tls
        httpTLS = other.httpTLS
        certificate = other.certificate
        clientAuthoritiesHash = other.clientAuthoritiesHash
        proxy = other.proxy
        proxyCredentials = other.proxyCredentials
    }

    // MARK: Parts

    private static func identity(_ settings: Settings) throws(SettingsError) -> TLSIdentity? {
        guard !settings.listen.certificateFile.isEmpty, !settings.listen.certificateKeyFile.isEmpty else { return nil }
        do throws(TLSError) {
            return try TLSIdentity.pemFiles(
                certificateChain: settings.listen.certificateFile, key: settings.listen.certificateKeyFile,
                refusesReadableByOthers: !settings.allowsAccessByOthers)
        } catch {
            throw SettingsError("listen.certificateFile, listen.certificateKeyFile", fault: error.description)
        }
    }

    private static func tls(
        _ listen: Settings.Listen, identity: TLSIdentity?
    ) throws(SettingsError) -> TLSContext? {
        guard let identity else { return nil }
        do throws(TLSError) {
            return try TLSContext.server(
                identity: identity,
                applicationProtocols: ["carillon/1"],
                clientCertificates: listen.clientAuthoritiesFile.isEmpty
                    ? .none : .optional(authorities: listen.clientAuthoritiesFile))
        } catch {
            throw SettingsError("listen.clientAuthoritiesFile", fault: error.description)
        }
    }

    private static func httpTLS(_ identity: TLSIdentity?) throws(SettingsError) -> TLSContext? {
        guard let identity else { return nil }
        do throws(TLSError) {
            return try TLSContext.server(identity: identity, applicationProtocols: ["http/1.1"])
        } catch {
            throw SettingsError("listen.certificateFile, listen.certificateKeyFile", fault: error.description)
        }
    }

    /// Returns the SHA-256 of a file; empty if none is set or it cannot be read. Loading it for TLS reports that.
    private static func hash(ofFile path: String) -> [UInt8] {
        path.isEmpty ? [] : FileManager.default.contents(atPath: path).map { SHA256.hash(Array($0)) } ?? []
    }

    private static func proxyCredentials(_ settings: Settings) throws(SettingsError) -> ProxyCredentials? {
        guard !settings.proxy.credentialsFile.isEmpty else { return nil }
        do throws(SecretFileError) {
            let file = try SecretBytes.load(
                path: settings.proxy.credentialsFile, refusesReadableByOthers: !settings.allowsAccessByOthers)
            let line = file.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            if line.withUnsafeBytes({ $0.contains(UInt8(ascii: ":")) }) { return ProxyCredentials(line) }
        } catch {
            throw SettingsError("proxy.credentialsFile", fault: error.description)
        }
        throw SettingsError("proxy.credentialsFile", fault: "must hold one line, user:password")
    }

    /// Returns the problems of the files of authorities that sign the certificates of providers.
    private static func unusableAuthorities(_ settings: Settings) -> [SettingsError] {
        [
            ("apns.authoritiesFile", settings.apns.authoritiesFile),
            ("fcm.authoritiesFile", settings.fcm.authoritiesFile),
            ("webPush.authoritiesFile", settings.webPush.authoritiesFile),
        ].compactMap { setting, path in
            guard !path.isEmpty else { return nil }
            do throws(TLSError) {
                _ = try TLSContext.client(trust: .authorities(path: path))
                return nil
            } catch {
                return SettingsError(setting, fault: error.description)
            }
        }
    }

    /// Returns the problems of apps whose certificate is for another app or environment: APNs would refuse every push.
    private static func unfitCertificates(
        _ apps: AppsFile, credentials: [String: LoadedCredential], path: String
    ) -> [SettingsError] {
        apps.apps.sorted { $0.key < $1.key }.flatMap { name, app in
            [(APNsEnvironment.production, app.production), (.sandbox, app.sandbox)].compactMap {
                environment, credential in
                guard let credential, let certificate = credentials[credential]?.certificate,
                    let fault = CertificateScope(certificate).fault(for: name, in: environment)
                else { return nil }
                return SettingsError("\(path): app \(name), credential \(credential)", fault: fault)
            }
        }
    }

    /// Refuses plaintext outside the machine, unless it is allowed by a setting (Protocol 1).
    private static func checkExposure(_ listen: Settings.Listen) throws(SettingsError) {
        guard !listen.host.isEmpty, listen.certificateFile.isEmpty, !listen.allowPlaintext else { return }
        // Why try?: a host without an address is no loopback address.
        let address = try? SocketAddress.makeAddressResolvingHost(listen.host, port: 0)
        let ip = address?.ipAddress ?? ""
        guard ip.hasPrefix("127.") || ip == "::1" else {
            throw SettingsError(
                "listen.host",
                fault:
                    "\(listen.host) is not a loopback address: set listen.certificateFile and "
                    + "listen.certificateKeyFile, or listen.allowPlaintext if the network itself is safe")
        }
    }
}

extension Deployment {
    /// The apps, with the types that their credentials may push. An app without credential for APNs has all push types:
    /// its pushes end as `no-credential`.
    var servedApps: [AppID: ServedApp] {
        var served: [AppID: ServedApp] = [:]
        for (name, app) in apps.apps {
            guard let id = AppID(name) else { continue }
            let apnsCredentials = [app.production, app.sandbox].compactMap { $0 }.compactMap { credentials[$0] }
            let pushTypes = PushType.allCases.filter { type in
                apnsCredentials.isEmpty
                    || apnsCredentials.contains { $0.supports(type, for: id, managementTopic: app.managementTopic) }
            }
            served[id] = ServedApp(
                pushTypes: Set(pushTypes), providers: Set([.apns] + app.destinations.map(\.destination.provider)))
        }
        return served
    }

    /// The certificates of the server, with the names that log and metrics use.
    var certificates: [(name: String, certificate: Certificate)] {
        let pushes = credentials.compactMap { name, credential in
            credential.certificate.map { (name: "credential \(name)", certificate: $0) }
        }
        return pushes.sorted { $0.name < $1.name } + (certificate.map { [("listen.certificateFile", $0)] } ?? [])
    }
}
