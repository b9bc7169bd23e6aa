import CarillonAPNs
package import CarillonCore

/// The JSON file of the apps that are served, and their credentials.
///
/// ```json
/// { "credentials": { "main": { "teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "AuthKey_KEY1234567.p8" } },
///   "apps": { "com.example.game": { "production": "main", "sandbox": "main" } } }
/// ```
/// For Android, a credential is `{ "serviceAccount": "game-firebase.json" }`, and an app names it under `fcm`.
/// Paths are relative to the file's folder.
package struct AppsFile: Decodable, Sendable {
    /// One credential: for APNs a provider token's key or a certificate, for FCM a service account.
    package struct Credential: Decodable, Sendable {
        /// Ten letters and digits.
        package var teamID: String?
        /// Ten letters and digits.
        package var keyID: String?
        /// The `.p8` file.
        package var keyFile: String?
        /// PEM chain of a certificate, or a `.p12` archive.
        package var certificate: String?
        /// PEM key of the certificate.
        package var key: String?
        /// The file with the password of a `.p12` archive.
        package var passwordFile: String?
        /// The key file of a Google service account, JSON.
        package var serviceAccount: String?
        /// Messages a minute that its Firebase project may send; nil for Google's 600,000.
        package var messagesPerMinute: UInt32?
    }

    /// One app: the credential's name for each environment of APNs, and for FCM.
    package struct App: Decodable, Sendable {
        /// For production.
        package var production: String?
        /// For sandbox.
        package var sandbox: String?
        /// For FCM.
        package var fcm: String?
        /// The topic of `mdm` pushes: UID of the MDM certificate's subject.
        package var managementTopic: String?
    }

    /// By name.
    package var credentials: [String: Credential]
    /// By bundle id.
    package var apps: [String: App]

    /// Reads and checks the file.
    ///
    /// - Parameter isProtected: true if a file is refused that other users can change.
    package static func load(path: String, isProtected: Bool = false) throws(SettingsError) -> AppsFile {
        let file = try JSONFile.load(AppsFile.self, path: path, isProtected: isProtected)
        try file.check(path)
        return file
    }

    private func check(_ path: String) throws(SettingsError) {
        guard !apps.isEmpty else { throw SettingsError(path, "names no app under \"apps\"") }
        for (name, credential) in credentials {
            let place = "\(path): credential \(name)"
            switch (credential.keyFile, credential.certificate, credential.serviceAccount) {
            case (.some, .none, .none):
                guard let team = credential.teamID, ProviderTokenClaims.isIdentifier(team) else {
                    throw SettingsError(place, "teamID must be the ten letters and digits of the team")
                }
                guard let key = credential.keyID, ProviderTokenClaims.isIdentifier(key) else {
                    throw SettingsError(place, "keyID must be the ten letters and digits of the key")
                }
            case (.none, .some, .none): break
            case (.none, .none, .some):
                guard credential.messagesPerMinute.map({ $0 >= 60 }) ?? true else {
                    throw SettingsError(place, "messagesPerMinute must be at least 60")
                }
                continue
            default:
                throw SettingsError(
                    place, "needs one of keyFile (with teamID and keyID), certificate and serviceAccount")
            }
            guard credential.messagesPerMinute == nil else {
                throw SettingsError(place, "messagesPerMinute is for a serviceAccount")
            }
        }
        for (name, app) in apps {
            guard AppID(name) != nil else { throw SettingsError(path, "\(name) is not a bundle id") }
            for (service, credential) in app.services {
                guard let known = credentials[credential] else {
                    throw SettingsError(path, "app \(name) names the credential \(credential), which does not exist")
                }
                guard (known.serviceAccount != nil) == (service.provider == .fcm) else {
                    throw SettingsError(
                        path,
                        "app \(name) names the credential \(credential) for \(service.name), "
                            + "which is one of the other provider"
                    )
                }
            }
        }
    }

    /// The pool of each app for each service.
    package var routes: Routes {
        var pools: [AppID: [PushService: PoolKey]] = [:]
        for (name, app) in apps {
            guard let id = AppID(name) else { continue }
            pools[id] = [:]
            for (service, credential) in app.services {
                pools[id]?[service] = PoolKey(service: service, credential: credential)
            }
        }
        return Routes(pools)
    }
}

extension AppsFile.App {
    /// The services that it has a credential for, with the credential's name.
    var services: [(service: PushService, credential: String)] {
        [(PushService.apnsProduction, production), (.apnsSandbox, sandbox), (.fcm, fcm)].compactMap { service, name in
            name.map { (service, $0) }
        }
    }
}
