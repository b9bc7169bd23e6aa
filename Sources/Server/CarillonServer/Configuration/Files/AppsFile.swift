import CarillonAPNs
package import CarillonCore
import CarillonWebPush

/// The JSON file of the apps that are served, and their credentials.
///
/// ```json
/// { "credentials": { "main": { "teamID": "ABCDE12345", "keyID": "KEY1234567", "keyFile": "AuthKey_KEY1234567.p8" } },
///   "apps": { "com.example.game": { "production": "main", "sandbox": "main" } } }
/// ```
/// For Android, a credential is `{ "serviceAccountFile": "game-firebase.json" }`, and an app names it under `fcm`.
/// For browsers, it is `{ "vapidKeyFile": "vapid.pem", "subject": "mailto:push@example.com" }`, under `web`.
/// Paths are relative to the file's folder.
package struct AppsFile: Decodable, Sendable {
    /// One credential: for APNs a provider token's key or a certificate, for FCM a service account, for browsers a
    /// VAPID key.
    package struct Credential: Decodable, Sendable {
        /// The id of the team: ten letters and digits.
        package var teamID: String?
        /// The id of the key: ten letters and digits.
        package var keyID: String?
        /// The path of the `.p8` file.
        package var keyFile: String?
        /// The path of the PEM chain of a certificate, or of a `.p12` archive.
        package var certificateFile: String?
        /// The path of the certificate's PEM key.
        package var certificateKeyFile: String?
        /// The path of the file with the password of a `.p12` archive.
        package var passwordFile: String?
        /// The path of the key file of a Google service account, JSON.
        package var serviceAccountFile: String?
        /// The messages that its Firebase project may send in a minute; nil for Google's 600,000.
        package var messagesPerMinute: UInt32?
        /// The path of the PEM file of a VAPID key.
        package var vapidKeyFile: String?
        /// The contact for the operators of push services, if they have a question about messages of the key: a
        /// `mailto:` or `https:` URI.
        package var subject: String?

        /// The kinds of credentials. Each has a file that no other kind has.
        enum Kind {
            /// A key that signs provider tokens for APNs: `keyFile`.
            case providerKey
            /// A client certificate for APNs: `certificateFile`.
            case certificate
            /// A Google service account for FCM: `serviceAccountFile`.
            case serviceAccount
            /// A VAPID key for browsers: `vapidKeyFile`.
            case vapidKey

            var provider: Provider {
                switch self {
                case .providerKey, .certificate: .apns
                case .serviceAccount: .fcm
                case .vapidKey: .web
                }
            }
        }

        /// The kind of the credential; nil if it names the files of several kinds, or of none.
        var kind: Kind? {
            let files: [(kind: Kind, file: String?)] = [
                (.providerKey, keyFile), (.certificate, certificateFile), (.serviceAccount, serviceAccountFile),
                (.vapidKey, vapidKeyFile),
            ]
            let named = files.filter { $0.file != nil }
            return named.count == 1 ? named[0].kind : nil
        }
    }

    /// One app: the names of its credentials, for each environment of APNs, for FCM and for browsers.
    package struct App: Decodable, Sendable {
        package var production: String?
        package var sandbox: String?
        package var fcm: String?
        package var web: String?
        /// The topic of `mdm` pushes: UID of the MDM certificate's subject.
        package var managementTopic: String?
    }

    /// The credentials by name.
    package var credentials: [String: Credential]
    /// The apps by bundle id.
    package var apps: [String: App]

    private static let shape = JSONShape.object([
        "credentials": .dictionary(
            of: .object([
                "teamID": .value, "keyID": .value, "keyFile": .value, "certificateFile": .value,
                "certificateKeyFile": .value, "passwordFile": .value, "serviceAccountFile": .value,
                "messagesPerMinute": .value, "vapidKeyFile": .value, "subject": .value,
            ])),
        "apps": .dictionary(
            of: .object([
                "production": .value, "sandbox": .value, "fcm": .value, "web": .value, "managementTopic": .value,
            ])),
    ])

    /// Reads and checks the file.
    ///
    /// - Parameter refusesWritableByOthers: true if a file is refused that other users can change.
    package static func load(path: String, refusesWritableByOthers: Bool = false) throws(SettingsError) -> AppsFile {
        let file = try JSONFile.load(
            AppsFile.self, path: path, shape: shape, refusesWritableByOthers: refusesWritableByOthers)
        try file.check(path)
        return file
    }

    private func check(_ path: String) throws(SettingsError) {
        guard !apps.isEmpty else { throw SettingsError(path, fault: "names no app under \"apps\"") }
        for (name, credential) in credentials { try Self.check(credential, at: "\(path): credential \(name)") }
        for (name, app) in apps { try check(app, named: name, in: path) }
    }

    private static func check(_ credential: Credential, at place: String) throws(SettingsError) {
        guard let kind = credential.kind else {
            throw SettingsError(
                place,
                fault: "needs one of keyFile (with teamID and keyID), certificateFile, serviceAccountFile and "
                    + "vapidKeyFile")
        }
        switch kind {
        case .providerKey:
            guard let team = credential.teamID, ProviderTokenClaims.isIdentifier(team) else {
                throw SettingsError(place, fault: "teamID must be the ten letters and digits of the team")
            }
            guard let key = credential.keyID, ProviderTokenClaims.isIdentifier(key) else {
                throw SettingsError(place, fault: "keyID must be the ten letters and digits of the key")
            }
        case .certificate: break
        case .serviceAccount:
            if let messagesPerMinute = credential.messagesPerMinute, messagesPerMinute < 60 {
                throw SettingsError(place, fault: "messagesPerMinute must be at least 60")
            }
        case .vapidKey:
            guard credential.subject.flatMap({ VAPIDContact($0) }) != nil else {
                throw SettingsError(
                    place,
                    fault: "subject must be a mailto: or https: URI with a public name, as mailto:push@example.com")
            }
        }
        guard kind == .serviceAccount || credential.messagesPerMinute == nil else {
            throw SettingsError(place, fault: "messagesPerMinute is for a service account")
        }
    }

    private func check(_ app: App, named name: String, in path: String) throws(SettingsError) {
        guard AppID(name) != nil else { throw SettingsError(path, fault: "\(name) is not a bundle id") }
        for (destination, credential) in app.destinations {
            guard let known = credentials[credential] else {
                throw SettingsError(path, fault: "app \(name) names the credential \(credential), which does not exist")
            }
            guard known.kind?.provider == destination.provider else {
                throw SettingsError(
                    path,
                    fault: "app \(name) names the credential \(credential) for \(destination.name), "
                        + "which is one of another provider"
                )
            }
        }
    }

    /// The pool of each app for each destination.
    package var routes: Routes {
        var pools: [AppID: [PushDestination: PoolKey]] = [:]
        for (name, app) in apps {
            guard let id = AppID(name) else { continue }
            pools[id] = [:]
            for (destination, credential) in app.destinations {
                pools[id]?[destination] = PoolKey(destination: destination, credential: credential)
            }
        }
        return Routes(pools)
    }
}

extension AppsFile.App {
    /// The destinations that the app has a credential for, with the credential's name.
    var destinations: [(destination: PushDestination, credential: String)] {
        [(PushDestination.apnsProduction, production), (.apnsSandbox, sandbox), (.fcm, fcm), (.web, web)].compactMap {
            destination, name in name.map { (destination, $0) }
        }
    }
}

extension AppsFile {
    /// The apps and the topic that a pool serves.
    struct PoolScope: Hashable, Sendable {
        /// The apps, by bundle id.
        var apps: Set<String>
        /// The topic of `mdm` pushes.
        var managementTopic: String?
    }

    func scope(of pool: PoolKey) -> PoolScope {
        let served = apps.filter { _, app in
            app.destinations.contains { $0.destination == pool.destination && $0.credential == pool.credential }
        }
        let topics = served.sorted { $0.key < $1.key }.compactMap(\.value.managementTopic)
        return PoolScope(apps: Set(served.keys), managementTopic: topics.first)
    }
}
