import CCarillonOpenSSL

/// The smallest size of an RSA key, in bits (RFC 7518, section 3.3).
private let minimumBits: Int32 = 2_048
/// The largest size: a signature by a larger one takes too long.
private let maximumBits: Int32 = 8_192

/// Refuses every key that RS256 cannot use.
func requireRSA(_ key: OpaquePointer) throws(TLSError) {
    defer { ERR_clear_error() }
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, (minimumBits...maximumBits).contains(EVP_PKEY_get_bits(key))
    else {
        throw .configuration("RS256 needs an RSA key of \(minimumBits) to \(maximumBits) bits, and this is another", [])
    }
}

/// A private key for RS256 signatures (RFC 7518, section 3.3): the key of a Google service account.
// Safety: an EVP_PKEY may be used from several threads as long as none changes it; each signature has a
// context of its own.
package final class RSASigningKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Makes a key from an unencrypted PEM private key; the bytes are not kept.
    package init(pem: borrowing SecretBytes) throws(TLSError) {
        let handle = try readPrivateKey(pem: pem)
        try requireRSA(handle.pointer)
        key = handle.release()
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns the signature of `message` (RSASSA-PKCS1-v1_5 with SHA-256), as long as the modulus of the key.
    package func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let signature = signSHA256(message, with: key, maximumBytes: Int(maximumBits / 8))
        guard !signature.isEmpty else { throw .configuration("signing failed", OpenSSLError.takeQueue()) }
        return signature
    }
}

/// A public key for RS256 signatures.
// Safety: an EVP_PKEY may be used from several threads as long as none changes it; each verification has a context
// of its own.
package final class RSAVerifyingKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Makes a key from a PEM public key, or from the matching PEM private key.
    package init(pem: borrowing SecretBytes) throws(TLSError) {
        let handle = try readPublicKey(pem: pem)
        try requireRSA(handle.pointer)
        key = handle.release()
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns true if `signature` is a signature of `message` by the matching private key.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        return isValidSHA256Signature(signature, of: message, with: key)
    }
}
