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
