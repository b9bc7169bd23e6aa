import CCarillonOpenSSL

/// The contents of a PKCS#12 archive, as objects of the default library context; the reader owns them.
struct PKCS12Contents {
    let leaf: OpaquePointer?
    let key: OpaquePointer?
    let intermediates: [OpaquePointer]

    init(_ archive: borrowing SecretBytes, password: String) throws(TLSError) {
        ERR_clear_error()
        // A library context of its own, so that RC2 and similar ciphers are known only here. It is freed last.
        let library = OSSL_LIB_CTX_new()
        defer { OSSL_LIB_CTX_free(library) }
        let providers = [OSSL_PROVIDER_load(library, "default"), OSSL_PROVIDER_load(library, "legacy")]
        defer { providers.forEach { _ = OSSL_PROVIDER_unload($0) } }

        var parsedKey: OpaquePointer?
        var parsedLeaf: OpaquePointer?
        var parsedChain: OpaquePointer?
        defer {
            EVP_PKEY_free(parsedKey)
            X509_free(parsedLeaf)
            carillon_sk_X509_pop_free(parsedChain)
        }
        let parsed = archive.withUnsafeBytes { bytes -> Bool in
            guard let count = Int32(exactly: bytes.count),
                let bio = Handle(owning: BIO_new_mem_buf(bytes.baseAddress, count), free: BIO_free_all)
            else { return false }
            var decoded = PKCS12_init_ex(NID_pkcs7_data, library, nil)
            defer { PKCS12_free(decoded) }
            return d2i_PKCS12_bio(bio.pointer, &decoded) != nil
                && PKCS12_parse(decoded, password, &parsedKey, &parsedLeaf, &parsedChain) == 1
        }
        guard parsed else {
            throw .configuration("not a PKCS#12 archive, or another password", OpenSSLError.takeQueue())
        }
        key = Self.copied(key: parsedKey)
        leaf = parsedLeaf.flatMap(Self.copied(certificate:))
        let chainCount = parsedChain == nil ? 0 : carillon_sk_X509_num(parsedChain)
        intermediates = (0..<chainCount).compactMap { index in
            carillon_sk_X509_value(parsedChain, index).flatMap(Self.copied(certificate:))
        }
    }

    /// Returns the same certificate, independent of the context in which it was decoded.
    private static func copied(certificate: OpaquePointer) -> OpaquePointer? {
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &der)
        guard count > 0 else { return nil }
        defer { CRYPTO_free(der, #file, #line) }
        var cursor = UnsafePointer(der)
        return d2i_X509(nil, &cursor, Int(count))
    }

    private static func copied(key: OpaquePointer?) -> OpaquePointer? {
        guard let key else { return nil }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_PrivateKey(key, &der)
        guard count > 0 else { return nil }
        defer { CRYPTO_clear_free(der, Int(count), #file, #line) }
        var cursor = UnsafePointer(der)
        return d2i_AutoPrivateKey(nil, &cursor, Int(count))
    }
}
