import CarillonCore
import CarillonTLS
import CarillonTransport

extension AppsFile.Credential {
    /// The key of provider tokens; the file must be readable by its owner only.
    func tokenSource(beside file: String) throws -> ProviderTokenSource {
        guard let keyFile, let teamID, let keyID else { throw SettingsError(file, "a credential without keyFile") }
        let pem = try SecretBytes.load(path: JSONFile.resolve(keyFile, beside: file))
        return ProviderTokenSource(teamID: teamID, keyID: keyID, key: try SigningKey(pem: pem))
    }

    /// The certificate, or nothing if this is the key of provider tokens.
    func identity(beside file: String) throws -> TLSIdentity? {
        guard let certificate else { return nil }
        let path = JSONFile.resolve(certificate, beside: file)
        guard let key else {
            let archive = try SecretBytes.load(path: path)
            return try TLSIdentity.pkcs12(archive, password: try password(beside: file))
        }
        return try TLSIdentity.pemFiles(certificateChain: path, key: JSONFile.resolve(key, beside: file))
    }

    private func password(beside file: String) throws -> String {
        guard let passwordFile else { return "" }
        let secret = try SecretBytes.load(path: JSONFile.resolve(passwordFile, beside: file))
        let text = secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return String(text.prefix { !$0.isNewline })
    }
}

extension AppsFile {
    /// The topic of `mdm` pushes of a pool: that of the app which uses its credential.
    func managementTopic(for pool: PoolKey) -> String? {
        apps.values.first { [$0.production, $0.sandbox].contains(pool.credential) && $0.managementTopic != nil }?
            .managementTopic
    }
}
