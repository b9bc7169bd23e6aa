import CCarillonOpenSSL

/// Signs the SHA-256 digest of a message, and returns the signature as OpenSSL encodes it; empty if OpenSSL cannot.
func signSHA256(_ message: [UInt8], with key: OpaquePointer, maximumBytes: Int) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: maximumBytes)
    var count = maximumBytes
    guard let context = Handle(owning: EVP_MD_CTX_new(), free: EVP_MD_CTX_free),
        EVP_DigestSignInit(context.pointer, nil, EVP_sha256(), nil, key) == 1,
        EVP_DigestSign(context.pointer, &signature, &count, message, message.count) == 1
    else { return [] }
    return Array(signature.prefix(count))
}

/// Returns true if `signature`, as OpenSSL encodes it, is that of the SHA-256 digest of a message.
func isValidSHA256Signature(_ signature: [UInt8], of message: [UInt8], with key: OpaquePointer) -> Bool {
    guard let context = Handle(owning: EVP_MD_CTX_new(), free: EVP_MD_CTX_free) else { return false }
    return EVP_DigestVerifyInit(context.pointer, nil, EVP_sha256(), nil, key) == 1
        && EVP_DigestVerify(context.pointer, signature, signature.count, message, message.count) == 1
}
