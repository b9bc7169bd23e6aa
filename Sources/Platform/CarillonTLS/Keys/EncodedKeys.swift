import CCarillonOpenSSL

/// A password callback without a password, so that an encrypted key is an error and never a prompt on the terminal.
let refusePassword: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    _,
    _,
    _,
    _ in -1
}

/// Reads an unencrypted private key of any kind.
func readPrivateKey(pem: borrowing SecretBytes) throws(TLSError) -> Handle {
    try readKey(pem: pem, fault: "the private key is not an unencrypted PEM key") {
        PEM_read_bio_PrivateKey($0, nil, refusePassword, nil)
    }
}

/// Reads a key with a function of OpenSSL.
func readKey(
    pem: borrowing SecretBytes,
    fault: String,
    _ read: (OpaquePointer) -> OpaquePointer?
) throws(TLSError) -> Handle {
    ERR_clear_error()
    let pointer = pem.withUnsafeBytes { bytes -> OpaquePointer? in
        // The BIO reads the memory in place: no second copy of the secret is made.
        guard let count = Int32(exactly: bytes.count),
            let bio = Handle(owning: BIO_new_mem_buf(bytes.baseAddress, count), free: BIO_free_all)
        else { return nil }
        return read(bio.pointer)
    }
    guard let key = Handle(owning: pointer, free: EVP_PKEY_free) else {
        throw .configuration(fault, OpenSSLError.takeQueue())
    }
    return key
}

/// Reads a public key of any kind, or that of an unencrypted private key.
func readPublicKey(pem: borrowing SecretBytes) throws(TLSError) -> Handle {
    try readKey(pem: pem, fault: "neither a PEM public key nor an unencrypted private key") { bio in
        if let key = PEM_read_bio_PUBKEY(bio, nil, refusePassword, nil) { return key }
        BIO_ctrl(bio, BIO_CTRL_RESET, 0, nil)
        return PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil)
    }
}
