import CarillonAPNs
package import CarillonCore
import FoundationEssentials

/// The JSON file that says which apps are served and with which credentials.
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
        /// File that holds the password of a `.p12` archive.
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
    package static func load(path: String) throws(SettingsError) -> AppsFile {
        let file = try JSONFile.load(AppsFile.self, path: path)
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
                throw SettingsError(path, "app \(name) names the credential \(credential), which is not there")
            }
        }
    }

    /// Which pool serves which app.
    package var routes: Routes {
        var pools: [AppID: [Environment: PoolKey]] = [:]
        for (name, app) in apps {
            guard let id = AppID(name) else { continue }
            var ways: [Environment: PoolKey] = [:]
            for (environment, credential) in [(Environment.production, app.production), (.sandbox, app.sandbox)] {
                guard let credential else { continue }
                ways[environment] = PoolKey(environment: environment, credential: credential)
            }
            pools[id] = ways
        }
        return Routes(pools)
    }
}

/// Reads small JSON files of configuration.
enum JSONFile {
    /// The largest file read, in bytes.
    private static let byteLimit = 4 * 1_048_576

    /// - Parameter hasComments: whether lines that begin with `//` are comments.
    static func load<T: Decodable>(
        _ type: T.Type, path: String, hasComments: Bool = false
    ) throws(SettingsError) -> T {
        var data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw SettingsError(path, "cannot be read")
        }
        guard data.count <= byteLimit else { throw SettingsError(path, "is larger than \(byteLimit) bytes") }
        if hasComments { data = Data(data.withUnsafeBytes(CommentedJSON.withoutComments)) }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw SettingsError(path, describe(error))
        } catch {
            throw SettingsError(path, "is not JSON")
        }
    }

    private static func describe(_ error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            context.codingPath.isEmpty ? "" : " at " + context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context): "\"\(key.stringValue)\" is missing" + place(context)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "a value is of the wrong type" + place(context)
        case .dataCorrupted(let context): "is not JSON" + place(context)
        @unknown default: "cannot be understood"
        }
    }

    /// `path` as seen from the folder of `file`.
    static func resolve(_ path: String, beside file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}
