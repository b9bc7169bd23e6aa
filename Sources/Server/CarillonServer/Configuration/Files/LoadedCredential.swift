import CarillonCore
import CarillonFCM
import CarillonTLS
import CarillonTransport
import CarillonWebPush

/// A credential with its key or certificate read.
struct LoadedCredential: Sendable {
    /// The means by which the server authenticates to a provider.
    enum Authentication: Sendable {
        case token(ProviderTokenSource)
        /// A certificate and its key.
        case certificate(TLSIdentity)
        /// A Google service account and its key, which signs assertions.
        case serviceAccount(ServiceAccount, RSASigningKey)
        case vapid(VAPIDTokenSource)
    }

    var authentication: Authentication
    /// A hash that changes when the key, the certificate, the service account or an id changes; it reveals no secret.
    var fingerprint: [UInt8]

    /// The certificate; nil for a key.
    var certificate: Certificate? {
        if case .certificate(let identity) = authentication { identity.certificate } else { nil }
    }

    /// The kind of credential: `key`, `certificate`, `service account` or `VAPID key`.
    var kind: String {
        switch authentication {
        case .token: "key"
        case .certificate: "certificate"
        case .serviceAccount: "service account"
        case .vapid: "VAPID key"
        }
    }

    /// The topic of `mdm` pushes; nil if the credential is not a certificate for these.
    var managementTopic: String? { certificate.flatMap { CertificateScope($0).managementTopic } }

    /// Returns true if the server knows no reason why the credential could not push that type to the app. A certificate
    /// names what it may push. What a key may push, only APNs knows, so the result for a key is true.
    func supports(_ type: PushType, for app: AppID, managementTopic: String?) -> Bool {
        guard let certificate else { return true }
        return CertificateScope(certificate).supports(
            type, for: app, managementTopic: managementTopic ?? self.managementTopic)
    }
}

/// Reads and checks the files of a credential.
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
