import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTLS
import CarillonTransport
import Foundation
import NIOCore

/// Reads a deployment: the files that the settings name. Checks them together, and collects all problems.
final class DeploymentReader {
    private let settings: Settings
    /// The problems that were found, in the order of the checks.
    private(set) var problems: [SettingsError]

    init(_ settings: Settings) {
        self.settings = settings
        problems = settings.problems
    }

    /// Reads everything; nil if there is a problem.
    func read() -> Deployment? {
        let refusesAccessByOthers = !settings.allowsAccessByOthers
        let apps = collectingProblem { () throws(SettingsError) in
            try AppsFile.load(path: settings.appsFile, refusesWritableByOthers: refusesAccessByOthers)
        }
        let principals = collectingProblem { () throws(SettingsError) in
            try PrincipalsFile.load(path: settings.principalsFile, refusesWritableByOthers: refusesAccessByOthers)
        }
        let credentials = loadCredentials(of: apps)
        // The hash is made before TLS reads the file. So a file that changes in between counts as changed at the next
        // reload.
        let clientAuthoritiesHash = hash(ofFile: settings.listen.clientAuthoritiesFile)
        let identity: TLSIdentity? =
            collectingProblem { () throws(SettingsError) in try loadIdentity() } ?? nil
        let tls: TLSContext? = collectingProblem { () throws(SettingsError) in try makeTLS(identity) } ?? nil
        let httpTLS: TLSContext? =
            collectingProblem { () throws(SettingsError) in try makeHTTPTLS(identity) } ?? nil
        let proxyCredentials: ProxyCredentials? =
            collectingProblem { () throws(SettingsError) in try loadProxyCredentials() } ?? nil
        collectingProblem { () throws(SettingsError) in try checkExposure() }
        problems += unusableAuthorities()
        if let apps {
            problems += unfitCertificates(of: apps, credentials: credentials)
            problems += unequalQuotas(of: apps, credentials: credentials)
        }
        guard problems.isEmpty, let apps, let principals else { return nil }
        return Deployment(
            settings: settings, apps: apps, credentials: sharingTokens(credentials), principals: principals, tls: tls,
            httpTLS: httpTLS, clientAuthoritiesHash: clientAuthoritiesHash, certificate: identity?.certificate,
            proxy: Proxy.address(settings.proxy.address).map { Proxy(host: $0.host, port: $0.port) },
            proxyCredentials: proxyCredentials)
    }

    /// Returns the result of `body`; nil if it fails, and then its problem is appended.
    @discardableResult
    private func collectingProblem<T>(_ body: () throws(SettingsError) -> T) -> T? {
        do throws(SettingsError) {
            return try body()
        } catch {
            problems.append(error)
            return nil
        }
    }

    // MARK: Credentials

    /// Loads the credentials of the apps; a credential that cannot be loaded is missing.
    private func loadCredentials(of apps: AppsFile?) -> [String: LoadedCredential] {
        var credentials: [String: LoadedCredential] = [:]
        for (name, credential) in (apps?.credentials ?? [:]).sorted(by: { $0.key < $1.key }) {
            credentials[name] = collectingProblem { () throws(SettingsError) in
                try credential.load(
                    at: "\(settings.appsFile): credential \(name)", beside: settings.appsFile,
                    refusesReadableByOthers: !settings.allowsAccessByOthers)
            }
        }
        return credentials
    }

    /// Makes credentials of the same team and key share one source of tokens: Apple limits new tokens by key.
    private func sharingTokens(_ credentials: [String: LoadedCredential]) -> [String: LoadedCredential] {
        var first: [[UInt8]: LoadedCredential] = [:]
        for (_, credential) in credentials.sorted(by: { $0.key < $1.key }) where first[credential.fingerprint] == nil {
            first[credential.fingerprint] = credential
        }
        return credentials.mapValues { first[$0.fingerprint] ?? $0 }
    }

    private func loadProxyCredentials() throws(SettingsError) -> ProxyCredentials? {
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

    // MARK: TLS

    private func loadIdentity() throws(SettingsError) -> TLSIdentity? {
        guard !settings.listen.certificateFile.isEmpty, !settings.listen.certificateKeyFile.isEmpty else { return nil }
        do throws(TLSError) {
            return try TLSIdentity.pemFiles(
                certificateChain: settings.listen.certificateFile, key: settings.listen.certificateKeyFile,
                refusesReadableByOthers: !settings.allowsAccessByOthers)
        } catch {
            throw SettingsError("listen.certificateFile, listen.certificateKeyFile", fault: error.description)
        }
    }

    private func makeTLS(_ identity: TLSIdentity?) throws(SettingsError) -> TLSContext? {
        guard let identity else { return nil }
        do throws(TLSError) {
            return try TLSContext.server(
                identity: identity,
                applicationProtocols: ["carillon/1"],
                clientCertificates: settings.listen.clientAuthoritiesFile.isEmpty
                    ? .none : .optional(authorities: settings.listen.clientAuthoritiesFile))
        } catch {
            throw SettingsError("listen.clientAuthoritiesFile", fault: error.description)
        }
    }

    private func makeHTTPTLS(_ identity: TLSIdentity?) throws(SettingsError) -> TLSContext? {
        guard let identity else { return nil }
        do throws(TLSError) {
            return try TLSContext.server(identity: identity, applicationProtocols: ["http/1.1"])
        } catch {
            throw SettingsError("listen.certificateFile, listen.certificateKeyFile", fault: error.description)
        }
    }

    /// Returns the SHA-256 of a file; empty if none is set or it cannot be read. Reading the file for TLS reports that.
    private func hash(ofFile path: String) -> [UInt8] {
        path.isEmpty ? [] : FileManager.default.contents(atPath: path).map { SHA256.hash(Array($0)) } ?? []
    }

    // MARK: Checks

    /// Refuses plaintext outside the machine, unless it is allowed by a setting (Protocol 1).
    private func checkExposure() throws(SettingsError) {
        let listen = settings.listen
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

    /// Returns the problems of the files of authorities that sign the certificates of providers.
    private func unusableAuthorities() -> [SettingsError] {
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
    private func unfitCertificates(of apps: AppsFile, credentials: [String: LoadedCredential]) -> [SettingsError] {
        apps.apps.sorted { $0.key < $1.key }.flatMap { name, app in
            [(APNsEnvironment.production, app.production), (.sandbox, app.sandbox)].compactMap {
                environment, credential in
                guard let credential, let certificate = credentials[credential]?.certificate,
                    let fault = CertificateScope(certificate).fault(for: name, in: environment)
                else { return nil }
                return SettingsError("\(settings.appsFile): app \(name), credential \(credential)", fault: fault)
            }
        }
    }

    /// Returns the problems of service accounts of one Firebase project with different quotas: Google counts by
    /// project.
    private func unequalQuotas(of apps: AppsFile, credentials: [String: LoadedCredential]) -> [SettingsError] {
        var first: [String: (name: String, messagesPerMinute: UInt32?)] = [:]
        return credentials.sorted { $0.key < $1.key }.compactMap { name, credential in
            guard case .serviceAccount(let account, _) = credential.authentication else { return nil }
            let messagesPerMinute = apps.credentials[name]?.messagesPerMinute
            guard let known = first[account.projectID] else {
                first[account.projectID] = (name, messagesPerMinute)
                return nil
            }
            guard known.messagesPerMinute != messagesPerMinute else { return nil }
            return SettingsError(
                "\(settings.appsFile): credential \(name)",
                fault: "has the project of \(known.name), and another messagesPerMinute: a project has one quota")
        }
    }
}
