import CCarillonOpenSSL

/// Refuses every key that ES256 cannot use.
func requireP256(_ key: OpaquePointer) throws(TLSError) {
    defer { ERR_clear_error() }
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
        EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1,
        OBJ_sn2nid(name) == NID_X9_62_prime256v1
    else { throw .configuration("ES256 needs a key on the curve P-256 (prime256v1), and this is another", []) }
}

/// A private key for ES256 signatures (RFC 7518 section 3.4): the contents of Apple's `.p8` files.
// Safety: an EVP_PKEY may be used from several threads as long as none changes it; each signature has a
// context of its own.
package final class SigningKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Makes a key from an unencrypted PEM private key on the curve P-256; the bytes are not kept.
    package init(pem: borrowing SecretBytes) throws(TLSError) {
        let handle = try readPrivateKey(pem: pem)
        try requireP256(handle.pointer)
        key = handle.release()
    }

    deinit { EVP_PKEY_free(key) }

    /// The public half as an uncompressed point: 65 bytes, 4 and both coordinates (SEC 1, section 2.3.3).
    package var publicPoint: [UInt8] {
        get throws(TLSError) {
            defer { ERR_clear_error() }
            var point = [UInt8](repeating: 0, count: P256Point.byteCount)
            var count = 0
            guard
                EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count) == 1,
                let whole = P256Point.uncompressed(Array(point.prefix(count)))
            else { throw .configuration("the key has no public half", OpenSSLError.takeQueue()) }
            return whole
        }
    }

    /// Returns the signature of `message` as 64 bytes, r and s of 32 bytes each, big-endian.
    package func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
        ERR_clear_error()
        let der = signSHA256(message, with: key, maximumBytes: ECDSASignature.maximumDERBytes)
        guard let signature = ECDSASignature(der: der) else {
            throw .configuration("signing failed", OpenSSLError.takeQueue())
        }
        return signature.raw
    }
}

extension SigningKey {
    /// Makes a new key on the curve P-256, as an unencrypted PEM private key (PKCS#8).
    package static func makePEM() throws(TLSError) -> SecretBytes {
        ERR_clear_error()
        guard let context = Handle(owning: EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil), free: EVP_PKEY_CTX_free),
            EVP_PKEY_keygen_init(context.pointer) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context.pointer, NID_X9_62_prime256v1) == 1
        else { throw .configuration("a key cannot be made", OpenSSLError.takeQueue()) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen(context.pointer, &made) == 1, let key = Handle(owning: made, free: EVP_PKEY_free),
            let bio = Handle(owning: BIO_new(BIO_s_secmem()), free: BIO_free_all),
            PEM_write_bio_PKCS8PrivateKey(bio.pointer, key.pointer, nil, nil, 0, nil, nil) == 1
        else { throw .configuration("a key cannot be made", OpenSSLError.takeQueue()) }
        return try SecretBytes(capacity: maximumPEMBytes) { room throws(TLSError) in
            let count = BIO_read(bio.pointer, room.baseAddress, Int32(room.count))
            guard count > 0 else { throw .configuration("a key cannot be made", OpenSSLError.takeQueue()) }
            return Int(count)
        }
    }

    private static let maximumPEMBytes = 4_096
}
