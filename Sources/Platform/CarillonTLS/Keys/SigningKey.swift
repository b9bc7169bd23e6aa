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

/// A public key for ES256 signatures.
// Safety: as in `SigningKey`.
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

/// One ECDSA P-256 signature in its two forms: OpenSSL's DER and JOSE's r and s side by side.
struct ECDSASignature {
    /// The longest DER form, in bytes: a sequence of two 33-byte integers.
    static let maximumDERBytes = 72

    let raw: [UInt8]
    let der: [UInt8]

    init?(der: [UInt8]) {
        self.der = der
        var cursor: UnsafePointer<UInt8>?
        let raw = der.withUnsafeBufferPointer { bytes -> [UInt8]? in
            cursor = bytes.baseAddress
            guard let signature = Handle(owning: d2i_ECDSA_SIG(nil, &cursor, bytes.count), free: ECDSA_SIG_free) else {
                return nil
            }
            var raw = [UInt8](repeating: 0, count: 64)
            let padded = raw.withUnsafeMutableBufferPointer { raw in
                BN_bn2binpad(ECDSA_SIG_get0_r(signature.pointer), raw.baseAddress, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature.pointer), raw.baseAddress.map { $0 + 32 }, 32) == 32
            }
            return padded ? raw : nil
        }
        guard let raw else { return nil }
        self.raw = raw
    }

    init?(raw: [UInt8]) {
        guard raw.count == 64, let signature = Handle(owning: ECDSA_SIG_new(), free: ECDSA_SIG_free) else { return nil }
        let (r, s) = raw.withUnsafeBufferPointer { bytes in
            (BN_bin2bn(bytes.baseAddress, 32, nil), BN_bin2bn(bytes.baseAddress.map { $0 + 32 }, 32, nil))
        }
        guard ECDSA_SIG_set0(signature.pointer, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var der = [UInt8](repeating: 0, count: Self.maximumDERBytes)
        let count = der.withUnsafeMutableBufferPointer { bytes -> Int32 in
            // Safety: 72 bytes hold any signature whose halves are 32 bytes.
            var cursor = bytes.baseAddress
            return i2d_ECDSA_SIG(signature.pointer, &cursor)
        }
        guard count > 0 else { return nil }
        self.raw = raw
        self.der = Array(der.prefix(Int(count)))
    }
}
