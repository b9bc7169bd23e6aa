import CCarillonOpenSSL

/// A public key for ES256 signatures.
// Safety: an EVP_PKEY may be used from several threads as long as none changes it; each verification has a context
// of its own.
package final class VerifyingKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Makes a key from a PEM public key on the curve P-256, or from the matching PEM private key.
    package init(pem: borrowing SecretBytes) throws(TLSError) {
        let handle = try readPublicKey(pem: pem)
        try requireP256(handle.pointer)
        key = handle.release()
    }

    /// Makes a key from an uncompressed point of 65 bytes (SEC 1, section 2.3.3); nil if it is not on the curve P-256.
    package init?(point: [UInt8]) {
        defer { ERR_clear_error() }
        guard P256Point.isValid(point) else { return nil }
        // A SubjectPublicKeyInfo of id-ecPublicKey and prime256v1 (RFC 5480, section 2); the point follows it.
        let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let pointer = (head + point).withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_PUBKEY(nil, &cursor, bytes.count)
        }
        guard let handle = Handle(owning: pointer, free: EVP_PKEY_free) else { return nil }
        key = handle.release()
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns true if `signature`, 64 bytes r and s, is a signature of `message` by the matching private key.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let der = ECDSASignature(raw: signature)?.der else { return false }
        return isValidSHA256Signature(der, of: message, with: key)
    }
}
