import CarillonCore
import CarillonProvider
import CarillonTLS
import CarillonTransport

/// The settings and the files that they name, read and checked. SIGHUP replaces a deployment as a whole or not at all.
struct Deployment: Sendable {
    let settings: Settings
    /// The apps and their credentials' names.
    let apps: AppsFile
    private(set) var credentials: [String: LoadedCredential]
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
}

extension Deployment {
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
        let reader = DeploymentReader(settings)
        guard let read = reader.read() else {
            problems += reader.problems
            return nil
        }
        self = read
    }

    /// Returns this deployment with the old deployment's credentials where they have not changed. So a token that is
    /// still good is not made again.
    func keepingCredentials(of old: Deployment) -> Deployment {
        let known = Dictionary(old.credentials.values.map { ($0.fingerprint, $0) }) { first, _ in first }
        var new = self
        new.credentials = credentials.mapValues { known[$0.fingerprint] ?? $0 }
        return new
    }

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

    /// The certificates of the credentials and the server's own, with the names that log and metrics use.
    var certificates: [(name: String, certificate: Certificate)] {
        let ofCredentials = credentials.compactMap { name, credential in
            credential.certificate.map { (name: "credential \(name)", certificate: $0) }
        }
        return ofCredentials.sorted { $0.name < $1.name } + (certificate.map { [("listen.certificateFile", $0)] } ?? [])
    }
}
