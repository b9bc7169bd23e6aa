import CCarillonOpenSSL

/// New keys.
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
