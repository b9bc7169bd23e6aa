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
        do {
            if let keyFile, let teamID, let keyID {
                let path = JSONFile.resolve(keyFile, beside: file)
                let pem = try SecretBytes.load(path: path, refusesReadableByOthers: refusesReadableByOthers)
                // The fingerprint is of the key's digest, so that no copy of the key is left on the heap.
                let digest = pem.withUnsafeBytes { SHA256.hash($0) }
                return LoadedCredential(
                    authentication: .token(
                        ProviderTokenSource(teamID: teamID, keyID: keyID, key: try SigningKey(pem: pem))),
                    fingerprint: SHA256.hash(Array("\(teamID).\(keyID).".utf8) + digest))
            }
            if let serviceAccountFile {
                return try account(
                    JSONFile.resolve(serviceAccountFile, beside: file), place: place,
                    refusesReadableByOthers: refusesReadableByOthers)
            }
            if let vapidKeyFile, let contact = subject.flatMap({ VAPIDContact($0) }) {
                let path = JSONFile.resolve(vapidKeyFile, beside: file)
                let pem = try SecretBytes.load(path: path, refusesReadableByOthers: refusesReadableByOthers)
                let digest = pem.withUnsafeBytes { SHA256.hash($0) }
                return LoadedCredential(
                    authentication: .vapid(try VAPIDTokenSource(key: try SigningKey(pem: pem), contact: contact)),
                    fingerprint: SHA256.hash(Array("vapid.\(contact.text).".utf8) + digest))
            }
            let identity = try identity(beside: file, refusesReadableByOthers: refusesReadableByOthers)
            return LoadedCredential(
                authentication: .certificate(identity), fingerprint: SHA256.hash(identity.certificate.fingerprint))
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

    private func account(_ path: String, place: String, refusesReadableByOthers: Bool) throws -> LoadedCredential {
        let secret = try SecretBytes.load(path: path, refusesReadableByOthers: refusesReadableByOthers)
        let digest = secret.withUnsafeBytes { SHA256.hash($0) }
        return try secret.withUnsafeBytes { bytes in
            let account = try ServiceAccount.read(bytes)
            let key = try SecretBytes(capacity: bytes.count) { room throws(ServiceAccountError) in
                try ServiceAccount.writePrivateKey(of: bytes, into: room)
            }
            return LoadedCredential(
                authentication: .serviceAccount(account, try RSASigningKey(pem: key)), fingerprint: digest)
        }
    }

    private func identity(beside file: String, refusesReadableByOthers: Bool) throws -> TLSIdentity {
        let path = JSONFile.resolve(certificateFile ?? "", beside: file)
        guard let certificateKeyFile else {
            let archive = try SecretBytes.load(path: path, refusesReadableByOthers: refusesReadableByOthers)
            return try TLSIdentity.pkcs12(
                archive, password: try password(beside: file, refusesReadableByOthers: refusesReadableByOthers))
        }
        return try TLSIdentity.pemFiles(
            certificateChain: path, key: JSONFile.resolve(certificateKeyFile, beside: file),
            refusesReadableByOthers: refusesReadableByOthers)
    }

    private func password(beside file: String, refusesReadableByOthers: Bool) throws -> String {
        guard let passwordFile else { return "" }
        let secret = try SecretBytes.load(
            path: JSONFile.resolve(passwordFile, beside: file), refusesReadableByOthers: refusesReadableByOthers)
        let text = secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return String(text.prefix { !$0.isNewline })
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
