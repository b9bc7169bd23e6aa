import CarillonAPNs
package import CarillonCore

/// The JSON file of the apps that are served, and their credentials.
///
/// ```json
/// { "credentials": { "main": { "teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "AuthKey_KEY1234567.p8" } },
///   "apps": { "com.example.game": { "production": "main", "sandbox": "main" } } }
/// ```
/// Paths are relative to the file's folder.
package struct AppsFile: Decodable, Sendable {
    /// One credential: a provider token's key, or a certificate.
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
    }

    /// One app: the credential's name for each environment.
    package struct App: Decodable, Sendable {
        /// For production.
        package var production: String?
        /// For sandbox.
        package var sandbox: String?
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
            switch (credential.keyFile, credential.certificate) {
            case (.some, .none):
                guard let team = credential.teamID, ProviderTokenClaims.isIdentifier(team) else {
                    throw SettingsError(place, "teamID must be the ten letters and digits of the team")
                }
                guard let key = credential.keyID, ProviderTokenClaims.isIdentifier(key) else {
                    throw SettingsError(place, "keyID must be the ten letters and digits of the key")
                }
            case (.none, .some): break
            default: throw SettingsError(place, "needs either keyFile (with teamID and keyID) or certificate")
            }
        }
        for (name, app) in apps {
            guard AppID(name) != nil else { throw SettingsError(path, "\(name) is not a bundle id") }
            for credential in [app.production, app.sandbox].compactMap({ $0 }) where credentials[credential] == nil {
                throw SettingsError(path, "app \(name) names the credential \(credential), which does not exist")
            }
        }
    }

    /// The pool of each app in each environment.
    package var routes: Routes {
        var pools: [AppID: [Environment: PoolKey]] = [:]
        for (name, app) in apps {
            guard let id = AppID(name) else { continue }
            var routes: [Environment: PoolKey] = [:]
            for (environment, credential) in [(Environment.production, app.production), (.sandbox, app.sandbox)] {
                guard let credential else { continue }
                routes[environment] = PoolKey(environment: environment, credential: credential)
            }
            pools[id] = routes
        }
        return Routes(pools)
    }
}
