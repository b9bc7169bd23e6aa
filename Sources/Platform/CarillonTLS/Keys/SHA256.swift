import CCarillonOpenSSL

/// The SHA-256 digest (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    /// Returns the digest of `bytes`, 32 bytes long.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            let done = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
            precondition(done == 1, "SHA-256 is missing from this OpenSSL")
            count = byteCount
        }
    }

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hash($0) } }

    /// A digest of bytes that are added in parts.
    package struct Stream: ~Copyable {
        private let handle: Handle

        package init() {
            guard let handle = Handle(owning: EVP_MD_CTX_new(), free: EVP_MD_CTX_free),
                EVP_DigestInit_ex(handle.pointer, EVP_sha256(), nil) == 1
            else { preconditionFailure("SHA-256 is missing from this OpenSSL") }
            self.handle = handle
        }

        package mutating func append(_ bytes: [UInt8]) {
            let done = bytes.withUnsafeBytes { EVP_DigestUpdate(handle.pointer, $0.baseAddress, $0.count) }
            precondition(done == 1, "SHA-256 does not go on")
        }

        /// Returns the digest, 32 bytes long.
        package consuming func finish() -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
                let done = EVP_DigestFinal_ex(handle.pointer, digest.baseAddress, nil)
                precondition(done == 1, "SHA-256 does not end")
                count = byteCount
            }
        }
    }
}

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

/// Returns true if two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEquals(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}
