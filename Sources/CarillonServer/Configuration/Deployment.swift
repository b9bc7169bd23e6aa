import CarillonAPNs
import CarillonCore
import CarillonTLS
import CarillonTransport
import Foundation
import NIOCore

/// The settings and everything that they name, read and checked: what SIGHUP reads again, as a whole or not at all.
struct Deployment: Sendable {
    /// The settings.
    let settings: Settings
    /// Apps and where they are sent from.
    let apps: AppsFile
    /// By name: those that an app uses.
    let credentials: [String: LoadedCredential]
    /// Who may connect.
    let keys: KeyRing
    /// TLS of the listening side; nothing = plaintext.
    let tls: TLSContext?
    /// Which authorities the clients' certificates are believed from: the hash of their file, empty if there is none.
    let clientAuthorities: [UInt8]
    /// The server's own certificate.
    let certificate: Certificate?
    /// The way to APNs.
    let proxy: Proxy?

    /// Reads everything; opens no socket and no database.
    init(_ settings: Settings) throws(SettingsError) {
        var problems: [SettingsError] = []
        guard let read = Self(settings, problems: &problems) else {
            throw problems.first ?? SettingsError("settings", "cannot be used")
        }
        self = read
    }

    /// Reads everything, and says all that is wrong instead of stopping at the first.
    init?(_ settings: Settings, problems: inout [SettingsError]) {
        problems += settings.problems
        self.settings = settings
        let ownerOnly = !settings.allowsOpenFiles
        let apps = Self.collect(&problems) { () throws(SettingsError) in try AppsFile.load(path: settings.appsFile) }
        let keys = Self.collect(&problems) { () throws(SettingsError) in
            try KeyRing.load(path: settings.principalsFile)
        }
        var credentials: [String: LoadedCredential] = [:]
        for (name, credential) in (apps?.credentials ?? [:]).sorted(by: { $0.key < $1.key }) {
            credentials[name] = Self.collect(&problems) { () throws(SettingsError) in
                try credential.load(
                    "\(settings.appsFile): credential \(name)", beside: settings.appsFile, ownerOnly: ownerOnly)
            }
        }
        // Before TLS reads it: a file that changes in between is then taken for changed at the next reload, not for the same.
        clientAuthorities = Self.fingerprint(ofFile: settings.listen.clientAuthorities)
        let identity = Self.collect(&problems) { () throws(SettingsError) in try Self.identity(settings) }
        tls =
            Self.collect(&problems) { () throws(SettingsError) in
                try Self.tls(settings.listen, identity ?? nil)
            } ?? nil
        certificate = (identity ?? nil)?.certificate
        proxy = Self.collect(&problems) { () throws(SettingsError) in try Self.proxy(settings) } ?? nil
        Self.collect(&problems) { () throws(SettingsError) in try Self.checkExposure(settings.listen) }
        Self.collect(&problems) { () throws(SettingsError) in try Self.checkAuthorities(settings.apns) }
        if let apps { problems += Self.unfitCertificates(apps, credentials, settings.appsFile) }
        guard problems.isEmpty, let apps, let keys else { return nil }
        self.apps = apps
        self.keys = keys
        self.credentials = Self.shareTokens(credentials)
    }

    @discardableResult
    private static func collect<T>(
        _ problems: inout [SettingsError], _ body: () throws(SettingsError) -> T
    ) -> T? {
        do throws(SettingsError) {
            return try body()
        } catch {
            problems.append(error)
            return nil
        }
    }

    /// One source of tokens for each (team, key), under however many names: Apple counts new tokens by key.
    private static func shareTokens(_ credentials: [String: LoadedCredential]) -> [String: LoadedCredential] {
        var first: [[UInt8]: LoadedCredential] = [:]
        for (_, credential) in credentials.sorted(by: { $0.key < $1.key }) where first[credential.fingerprint] == nil {
            first[credential.fingerprint] = credential
        }
        return credentials.mapValues { first[$0.fingerprint] ?? $0 }
    }

    /// The same with what has not changed taken over from before: a token that is good is not made anew.
    func keeping(_ old: Deployment) -> Deployment {
        let known = Dictionary(old.credentials.values.map { ($0.fingerprint, $0) }) { first, _ in first }
        return Deployment(self, credentials: credentials.mapValues { known[$0.fingerprint] ?? $0 })
    }

    private init(_ other: Deployment, credentials: [String: LoadedCredential]) {
        settings = other.settings
        apps = other.apps
        self.credentials = credentials
        keys = other.keys
        tls = other.tls
        certificate = other.certificate
        clientAuthorities = other.clientAuthorities
        proxy = other.proxy
    }

    // MARK: Parts

    private static func identity(_ settings: Settings) throws(SettingsError) -> TLSIdentity? {
        guard !settings.listen.certificate.isEmpty, !settings.listen.key.isEmpty else { return nil }
        do throws(TLSError) {
            return try TLSIdentity.pemFiles(
                certificateChain: settings.listen.certificate, key: settings.listen.key,
                ownerOnly: !settings.allowsOpenFiles)
        } catch {
            throw SettingsError("listen.certificate, listen.key", error.description)
        }
    }

    private static func tls(
        _ listen: Settings.Listen, _ identity: TLSIdentity?
    ) throws(SettingsError) -> TLSContext? {
        guard let identity else { return nil }
        do throws(TLSError) {
            return try TLSContext.server(
                identity: identity,
                applicationProtocols: ["carillon/1"],
                clientCertificates: listen.clientAuthorities.isEmpty
                    ? .none : .optional(authorities: listen.clientAuthorities))
        } catch {
            throw SettingsError("listen.clientAuthorities", error.description)
        }
    }

    /// Empty if there is no file or it cannot be read; whether it can be used is TLS's to say.
    private static func fingerprint(ofFile path: String) -> [UInt8] {
        path.isEmpty ? [] : FileManager.default.contents(atPath: path).map { SHA256.hash(Array($0)) } ?? []
    }

    private static func proxy(_ settings: Settings) throws(SettingsError) -> Proxy? {
        guard let (host, port) = Proxy.address(settings.apns.proxy) else { return nil }
        guard !settings.apns.proxyCredentialsFile.isEmpty else { return Proxy(host: host, port: port) }
        let line: [UInt8]
        do throws(SecretFileError) {
            let secret = try SecretBytes.load(
                path: settings.apns.proxyCredentialsFile, ownerOnly: !settings.allowsOpenFiles)
            line = secret.withUnsafeBytes { bytes in
                Array(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
            }
        } catch {
            throw SettingsError("apns.proxyCredentialsFile", error.description)
        }
        guard line.contains(UInt8(ascii: ":")) else {
            throw SettingsError("apns.proxyCredentialsFile", "must hold one line, user:password")
        }
        return Proxy(host: host, port: port, credentials: line)
    }

    private static func checkAuthorities(_ apns: Settings.APNs) throws(SettingsError) {
        guard !apns.authorities.isEmpty else { return }
        do throws(TLSError) {
            _ = try TLSContext.client(trust: .authorities(path: apns.authorities))
        } catch {
            throw SettingsError("apns.authorities", error.description)
        }
    }

    /// Apps whose certificate is for another app or environment: every push would be refused.
    private static func unfitCertificates(
        _ apps: AppsFile, _ credentials: [String: LoadedCredential], _ path: String
    ) -> [SettingsError] {
        apps.apps.sorted { $0.key < $1.key }.flatMap { name, app in
            [(Environment.production, app.production), (.sandbox, app.sandbox)].compactMap { environment, credential in
                guard let credential, let certificate = credentials[credential]?.certificate,
                    let fault = CertificateScope(certificate).fault(for: name, environment)
                else { return nil }
                return SettingsError("\(path): app \(name), credential \(credential)", fault)
            }
        }
    }

    /// Plaintext outside the machine only when somebody has said so (Protocol 1).
    private static func checkExposure(_ listen: Settings.Listen) throws(SettingsError) {
        guard !listen.host.isEmpty, listen.certificate.isEmpty, !listen.allowPlaintext else { return }
        let address = try? SocketAddress.makeAddressResolvingHost(listen.host, port: 0)
        let ip = address?.ipAddress ?? ""
        guard ip.hasPrefix("127.") || ip == "::1" else {
            throw SettingsError(
                "listen.host",
                "\(listen.host) is not a loopback address: set listen.certificate and listen.key, "
                    + "or listen.allowPlaintext if the network itself is safe")
        }
    }

    // MARK: APNs

    /// What a pool depends on: as long as it is the same the pool is.
    struct PoolDescription: Hashable, Sendable {
        var fingerprint: [UInt8]
        var host: String
        var port: Int
        var proxy: Proxy?
        var authorities: String
        var managementTopic: String?
    }

    /// What the pool of that key depends on; nil if there is no such credential.
    func description(of key: PoolKey) -> PoolDescription? {
        guard let credential = credentials[key.credential] else { return nil }
        return PoolDescription(
            fingerprint: credential.fingerprint,
            host: key.environment == .production ? settings.apns.productionHost : settings.apns.sandboxHost,
            port: settings.apns.port, proxy: proxy, authorities: settings.apns.authorities,
            managementTopic: apps.audience(of: key).managementTopic ?? credential.managementTopic)
    }

    /// Where the pool of that key connects.
    func upstream(_ key: PoolKey, epoch: UUIDBytes) throws(SettingsError) -> Upstream {
        guard let credential = credentials[key.credential], let description = description(of: key) else {
            throw SettingsError(settings.appsFile, "the credential \(key.credential) is not there")
        }
        let (identity, authorization): (TLSIdentity?, Upstream.Authorization) =
            switch credential.proof {
            case .certificate(let identity): (identity, .certificate)
            case .token(let source): (nil, .token(source))
            }
        let trust: TLSContext.Trust =
            description.authorities.isEmpty ? .system : .authorities(path: description.authorities)
        do throws(TLSError) {
            let tls = try TLSContext.client(
                trust: trust, applicationProtocols: ["h2"], requireApplicationProtocol: true, identity: identity)
            return Upstream(
                key: key, host: description.host, port: description.port, proxy: proxy, tls: tls,
                authorization: authorization, managementTopic: description.managementTopic, epoch: epoch)
        } catch {
            throw SettingsError("\(settings.appsFile): credential \(key.credential)", error.description)
        }
    }
}

extension Deployment {
    /// Of each app, the push types that one of its credentials may push; of one without, all: its pushes end as
    /// `no-credential`.
    var pushTypes: [AppID: Set<PushType>] {
        var types: [AppID: Set<PushType>] = [:]
        for (name, app) in apps.apps {
            guard let id = AppID(name) else { continue }
            let used = [app.production, app.sandbox].compactMap { $0 }.compactMap { credentials[$0] }
            let carried = PushType.allCases.filter { type in
                used.isEmpty || used.contains { $0.carries(type, for: id, managementTopic: app.managementTopic) }
            }
            types[id] = Set(carried)
        }
        return types
    }

    /// Every certificate of ours, by the name that log and metrics call it.
    var certificates: [(name: String, certificate: Certificate)] {
        let pushes = credentials.compactMap { name, credential in
            credential.certificate.map { (name: "credential \(name)", certificate: $0) }
        }
        return pushes.sorted { $0.name < $1.name } + (certificate.map { [("listen.certificate", $0)] } ?? [])
    }
}
