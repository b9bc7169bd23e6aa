import CarillonCore
import CarillonTLS
import CarillonTransport

/// A credential as its files have it.
struct LoadedCredential: Sendable {
    /// How it proves who we are.
    enum Proof: Sendable {
        /// Signs provider tokens.
        case token(ProviderTokenSource)
        /// A certificate and its key.
        case certificate(TLSIdentity)
    }

    /// How it proves who we are.
    var proof: Proof
    /// Differs as soon as a file or an id does; no secret can be told from it.
    var fingerprint: [UInt8]

    /// The certificate, if it is one.
    var certificate: Certificate? {
        if case .certificate(let identity) = proof { identity.certificate } else { nil }
    }

    /// The topic of `mdm` pushes, if it is a certificate for these: it says so itself.
    var managementTopic: String? { certificate.flatMap { CertificateScope($0).managementTopic } }

    /// Whether APNs lets it push that type to the app, as far as that can be told.
    func carries(_ type: PushType, for app: AppID, managementTopic: String?) -> Bool {
        guard let certificate else { return true }
        return CertificateScope(certificate).carries(
            type, for: app, managementTopic: managementTopic ?? self.managementTopic)
    }
}

extension AppsFile.Credential {
    /// Reads the files.
    ///
    /// - Parameters:
    ///   - place: what errors name.
    ///   - file: paths are relative to its folder.
    ///   - ownerOnly: whether files that others can read are refused.
    func load(_ place: String, beside file: String, ownerOnly: Bool) throws(SettingsError) -> LoadedCredential {
        do {
            if let keyFile, let teamID, let keyID {
                let path = JSONFile.resolve(keyFile, beside: file)
                let pem = try SecretBytes.load(path: path, ownerOnly: ownerOnly)
                let ids = Array("\(teamID).\(keyID).".utf8)
                return LoadedCredential(
                    proof: .token(ProviderTokenSource(teamID: teamID, keyID: keyID, key: try SigningKey(pem: pem))),
                    fingerprint: SHA256.hash(ids + pem.withUnsafeBytes { Array($0) }))
            }
            let identity = try identity(beside: file, ownerOnly: ownerOnly)
            return LoadedCredential(
                proof: .certificate(identity), fingerprint: SHA256.hash(identity.certificate.fingerprint))
        } catch let error as SecretFileError {
            throw SettingsError(place, error.description)
        } catch let error as TLSError {
            throw SettingsError(place, "\(keyFile ?? certificate ?? ""): \(error)")
        } catch {
            throw SettingsError(place, "cannot be used")
        }
    }

    private func identity(beside file: String, ownerOnly: Bool) throws -> TLSIdentity {
        let path = JSONFile.resolve(certificate ?? "", beside: file)
        guard let key else {
            let archive = try SecretBytes.load(path: path, ownerOnly: ownerOnly)
            return try TLSIdentity.pkcs12(archive, password: try password(beside: file, ownerOnly: ownerOnly))
        }
        return try TLSIdentity.pemFiles(
            certificateChain: path, key: JSONFile.resolve(key, beside: file), ownerOnly: ownerOnly)
    }

    private func password(beside file: String, ownerOnly: Bool) throws -> String {
        guard let passwordFile else { return "" }
        let secret = try SecretBytes.load(
            path: JSONFile.resolve(passwordFile, beside: file), ownerOnly: ownerOnly)
        let text = secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return String(text.prefix { !$0.isNewline })
    }
}

extension AppsFile {
    /// Bundle ids that a pool serves, and the topic of `mdm` pushes.
    struct Audience: Hashable, Sendable {
        /// Bundle ids.
        var apps: Set<String>
        /// The topic of `mdm` pushes.
        var managementTopic: String?
    }

    /// Whom a pool serves.
    func audience(of pool: PoolKey) -> Audience {
        let served = apps.filter { _, app in
            (pool.environment == .production ? app.production : app.sandbox) == pool.credential
        }
        let topics = served.sorted { $0.key < $1.key }.compactMap(\.value.managementTopic)
        return Audience(apps: Set(served.keys), managementTopic: topics.first)
    }
}
