import CCarillonOpenSSL

/// The SHA-256 digest (FIPS 180-4).
package enum SHA256 {
    /// The digest's size in bytes.
    package static let byteCount = 32

    /// Returns the digest of `bytes`, 32 bytes long.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            let done = EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil)
            precondition(done == 1, "SHA-256 is missing from this OpenSSL")
            count = byteCount
        }
    }

    /// Returns the digest of `bytes`, 32 bytes long.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hash($0) } }

    /// A digest of bytes that are added in parts.
    package struct Stream: ~Copyable {
        private let handle: Handle

        /// Makes the digest of no bytes.
        package init() {
            guard let handle = Handle(owning: EVP_MD_CTX_new(), free: EVP_MD_CTX_free),
                EVP_DigestInit_ex(handle.pointer, EVP_sha256(), nil) == 1
            else { preconditionFailure("SHA-256 is missing from this OpenSSL") }
            self.handle = handle
        }

        /// Adds bytes.
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

/// Returns true if two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEquals(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}

/// Returns `count` unpredictable bytes: RAND_bytes(3).
package func randomBytes(_ count: Int) throws(TLSError) -> [UInt8] {
    guard let size = Int32(exactly: count), size >= 0 else { throw .misuse("\(count) random bytes") }
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, size) == 1 else {
        throw .configuration("no random bytes", OpenSSLError.drainQueue())
    }
    return bytes
}

/// Fills a buffer with unpredictable bytes: RAND_bytes(3).
package func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) throws(TLSError) {
    let bytes = buffer.bindMemory(to: UInt8.self).baseAddress
    guard let size = Int32(exactly: buffer.count), RAND_bytes(bytes, size) == 1 else {
        throw .configuration("no random bytes", OpenSSLError.drainQueue())
    }
}
