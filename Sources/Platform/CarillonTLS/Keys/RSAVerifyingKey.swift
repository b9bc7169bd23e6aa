import CCarillonOpenSSL

/// A public key for RS256 signatures.
// Safety: as in `RSASigningKey`.
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
