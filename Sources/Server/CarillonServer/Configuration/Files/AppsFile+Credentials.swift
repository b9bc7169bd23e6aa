import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTransport
import CarillonWebPush

/// The files of a credential, read and checked.
extension AppsFile.Credential {
    /// Reads the files of the credential.
    ///
    /// - Parameters:
    ///   - place: the place that errors name.
    ///   - file: the file to whose folder paths are relative.
    ///   - refusesReadableByOthers: true if files are refused that other users can read.
    func load(at place: String, beside file: String, refusesReadableByOthers: Bool) throws(SettingsError)
        -> LoadedCredential
    {
        let secrets = SecretFiles(appsFile: file, refusesReadableByOthers: refusesReadableByOthers)
        do {
            return try providerKey(secrets) ?? serviceAccount(secrets) ?? vapidKey(secrets)
                ?? clientCertificate(secrets)
        } catch let error as SecretFileError {
            throw SettingsError(place, fault: error.description)
        } catch let error as ServiceAccountError {
            throw SettingsError(place, fault: "\(serviceAccountFile ?? "") \(error)")
        } catch let error as TLSError {
            throw SettingsError(
                place, fault: "\(keyFile ?? certificateFile ?? serviceAccountFile ?? vapidKeyFile ?? ""): \(error)")
        } catch {
            throw SettingsError(place, fault: "cannot be used")
        }
    }

    /// Reads the key of provider tokens for APNs; nil if the credential is another one.
    private func providerKey(_ secrets: SecretFiles) throws -> LoadedCredential? {
        guard let keyFile, let teamID, let keyID else { return nil }
        let pem = try secrets.load(keyFile)
        // The fingerprint is of the key's digest, so that no copy of the key is left on the heap.
        let digest = pem.withUnsafeBytes { SHA256.hash($0) }
        return LoadedCredential(
            authentication: .token(
                ProviderTokenSource(teamID: teamID, keyID: keyID, key: try SigningKey(pem: pem))),
            fingerprint: SHA256.hash(Array("\(teamID).\(keyID).".utf8) + digest))
    }

    /// Reads the service account for FCM; nil if the credential is another one.
    private func serviceAccount(_ secrets: SecretFiles) throws -> LoadedCredential? {
        guard let serviceAccountFile else { return nil }
        let secret = try secrets.load(serviceAccountFile)
        let digest = secret.withUnsafeBytes { SHA256.hash($0) }
        return try secret.withUnsafeBytes { bytes -> LoadedCredential in
            let account = try ServiceAccount.read(bytes)
            let key = try SecretBytes(capacity: bytes.count) { room throws(ServiceAccountError) in
                try ServiceAccount.writePrivateKey(of: bytes, into: room)
            }
            return LoadedCredential(
                authentication: .serviceAccount(account, try RSASigningKey(pem: key)), fingerprint: digest)
        }
    }

    /// Reads the VAPID key for browsers; nil if the credential is another one.
    private func vapidKey(_ secrets: SecretFiles) throws -> LoadedCredential? {
        guard let vapidKeyFile, let contact = subject.flatMap({ VAPIDContact($0) }) else { return nil }
        let pem = try secrets.load(vapidKeyFile)
        let digest = pem.withUnsafeBytes { SHA256.hash($0) }
        return LoadedCredential(
            authentication: .vapid(try VAPIDTokenSource(key: try SigningKey(pem: pem), contact: contact)),
            fingerprint: SHA256.hash(Array("vapid.\(contact.text).".utf8) + digest))
    }

    private func clientCertificate(_ secrets: SecretFiles) throws -> LoadedCredential {
        let identity = try identity(secrets)
        return LoadedCredential(
            authentication: .certificate(identity), fingerprint: SHA256.hash(identity.certificate.fingerprint))
    }

    private func identity(_ secrets: SecretFiles) throws -> TLSIdentity {
        guard let certificateKeyFile else {
            return try TLSIdentity.pkcs12(try secrets.load(certificateFile ?? ""), password: try password(secrets))
        }
        return try TLSIdentity.pemFiles(
            certificateChain: secrets.path(of: certificateFile ?? ""), key: secrets.path(of: certificateKeyFile),
            refusesReadableByOthers: secrets.refusesReadableByOthers)
    }

    private func password(_ secrets: SecretFiles) throws -> String {
        guard let passwordFile else { return "" }
        let secret = try secrets.load(passwordFile)
        let text = secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return String(text.prefix { !$0.isNewline })
    }
}

/// The files that `apps.json` names.
private struct SecretFiles {
    let appsFile: String
    let refusesReadableByOthers: Bool

    func path(of name: String) -> String { JSONFile.resolve(name, beside: appsFile) }

    func load(_ name: String) throws -> SecretBytes {
        try SecretBytes.load(path: path(of: name), refusesReadableByOthers: refusesReadableByOthers)
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

    /// Returns the apps and the topic that a pool serves.
    func scope(of pool: PoolKey) -> PoolScope {
        let served = apps.filter { _, app in
            app.destinations.contains { $0.destination == pool.destination && $0.credential == pool.credential }
        }
        let topics = served.sorted { $0.key < $1.key }.compactMap(\.value.managementTopic)
        return PoolScope(apps: Set(served.keys), managementTopic: topics.first)
    }
}
