import CCarillonOpenSSL

/// A certificate with its private key and the certificates that lead to its authority, for a client or a server.
// Safety: the three objects are owned here, not changed after `init`, and reference-counted with atomics by
// OpenSSL where a context shares them.
package final class TLSIdentity: @unchecked Sendable {
    let leaf: OpaquePointer
    let key: OpaquePointer
    let intermediates: [OpaquePointer]

    /// The leaf certificate's names and validity.
    package let certificate: Certificate

    /// Takes ownership of all three, even when it throws.
    private init(leaf: consuming Handle, key: consuming Handle, intermediates: [OpaquePointer]) throws(TLSError) {
        ERR_clear_error()
        guard X509_check_private_key(leaf.pointer, key.pointer) == 1 else {
            intermediates.forEach(X509_free)
            throw .configuration("the private key does not belong to the certificate", OpenSSLError.takeQueue())
        }
        certificate = Certificate(reading: leaf.pointer)
        self.leaf = leaf.release()
        self.key = key.release()
        self.intermediates = intermediates
    }

    deinit {
        X509_free(leaf)
        EVP_PKEY_free(key)
        intermediates.forEach(X509_free)
    }
}

extension TLSIdentity {
    /// Makes an identity from PEM text: the leaf first, then its intermediates; and an unencrypted private key.
    package static func pem(
        certificateChain: [UInt8],
        key: borrowing SecretBytes
    ) throws(TLSError) -> TLSIdentity {
        let fault = "the certificate chain is not PEM"
        let certificates = try readCertificates(pem: certificateChain, fault: fault)
        guard let leaf = Handle(owning: certificates.first, free: X509_free) else { throw .configuration(fault, []) }
        let intermediates = Array(certificates.dropFirst())
        let privateKey: Handle
        do {
            privateKey = try readPrivateKey(pem: key)
        } catch {
            intermediates.forEach(X509_free)
            throw error
        }
        return try TLSIdentity(leaf: leaf, key: privateKey, intermediates: intermediates)
    }

    /// Reads all certificates of a PEM text, at least one; the caller owns them.
    ///
    /// - Parameter fault: the text of the error if the certificates cannot be read.
    static func readCertificates(pem: [UInt8], fault: String) throws(TLSError) -> [OpaquePointer] {
        ERR_clear_error()
        guard let count = Int32(exactly: pem.count) else { throw .configuration(fault, []) }
        let certificates = pem.withUnsafeBytes { bytes -> [OpaquePointer] in
            guard let bio = Handle(owning: BIO_new_mem_buf(bytes.baseAddress, count), free: BIO_free_all) else {
                return []
            }
            var certificates: [OpaquePointer] = []
            while let next = PEM_read_bio_X509(bio.pointer, nil, refusePassword, nil) { certificates.append(next) }
            return certificates
        }
        // Reading stops at the end of the text or at a malformed block; only the end is a success.
        let errors = OpenSSLError.takeQueue()
        guard !certificates.isEmpty, errors.last?.reason == PEM_R_NO_START_LINE else {
            certificates.forEach(X509_free)
            throw .configuration(fault, certificates.isEmpty ? errors : [])
        }
        return certificates
    }

    /// Makes an identity from PEM files; only its owner may read the key file, as in
    /// `SecretBytes.load(path:refusesReadableByOthers:)`.
    package static func pemFiles(
        certificateChain: String, key: String, refusesReadableByOthers: Bool = true
    ) throws(TLSError) -> TLSIdentity {
        try pem(
            certificateChain: bytes(ofFile: certificateChain), keyFile: key,
            refusesReadableByOthers: refusesReadableByOthers)
    }

    /// Makes an identity from the file of a chain and a key in memory.
    package static func pem(certificateFile: String, key: borrowing SecretBytes) throws(TLSError) -> TLSIdentity {
        try pem(certificateChain: bytes(ofFile: certificateFile), key: key)
    }

    /// Makes an identity from a chain in memory and the file of a key; only its owner may read the file.
    package static func pem(
        certificateChain: [UInt8], keyFile: String, refusesReadableByOthers: Bool = true
    ) throws(TLSError) -> TLSIdentity {
        let secret: SecretBytes
        do throws(SecretFileError) {
            secret = try SecretBytes.load(path: keyFile, refusesReadableByOthers: refusesReadableByOthers)
        } catch {
            throw .configuration(error.description, [])
        }
        return try pem(certificateChain: certificateChain, key: secret)
    }

    private static func bytes(ofFile path: String) throws(TLSError) -> [UInt8] {
        do throws(SecretFileError) {
            return try SecretBytes.read(path: path, refusesReadableByOthers: false).withUnsafeBytes { Array($0) }
        } catch {
            throw .configuration(error.description, [])
        }
    }

    /// Makes an identity from a PKCS#12 archive (`.p12`), old ciphers as written by Keychain Access included.
    package static func pkcs12(_ archive: borrowing SecretBytes, password: String) throws(TLSError) -> TLSIdentity {
        let contents = try PKCS12Contents(archive, password: password)
        let leaf = Handle(owning: contents.leaf, free: X509_free)
        let key = Handle(owning: contents.key, free: EVP_PKEY_free)
        guard let leaf, let key else {
            contents.intermediates.forEach(X509_free)
            throw .configuration("the archive holds no certificate with its key", [])
        }
        return try TLSIdentity(leaf: leaf, key: key, intermediates: contents.intermediates)
    }
}
