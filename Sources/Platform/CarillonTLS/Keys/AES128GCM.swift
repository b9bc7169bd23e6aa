import CCarillonOpenSSL

/// AES-128-GCM with a tag of 16 bytes (RFC 5116, section 5.1), in one context for any number of messages. Not
/// `Sendable`: one thread uses it at a time.
package struct AES128GCM: ~Copyable {
    private let cipher: Handle
    private let context: Handle

    package static let keyBytes = 16, nonceBytes = 12, tagBytes = 16

    package init() throws(TLSError) {
        guard let cipher = Handle(owning: EVP_CIPHER_fetch(nil, "AES-128-GCM", nil), free: EVP_CIPHER_free),
            let context = Handle(owning: EVP_CIPHER_CTX_new(), free: EVP_CIPHER_CTX_free)
        else { throw .configuration("AES-128-GCM is missing from this OpenSSL", OpenSSLError.takeQueue()) }
        self.cipher = cipher
        self.context = context
    }

    /// Encrypts `text` in place and writes the tag after it, without additional data.
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes, never the same twice for one key.
    ///   - text: the plaintext, and 16 bytes of room for the tag.
    package mutating func seal(
        key: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer, text: UnsafeMutableRawBufferPointer
    ) throws(TLSError) {
        precondition(key.count == Self.keyBytes && nonce.count == Self.nonceBytes && text.count >= Self.tagBytes)
        let bytes = text.bindMemory(to: UInt8.self).baseAddress
        let size = text.count - Self.tagBytes
        var count = Int32(0)
        var end = Int32(0)
        guard let length = Int32(exactly: size),
            EVP_EncryptInit_ex(
                context.pointer, cipher.pointer, nil, key.bindMemory(to: UInt8.self).baseAddress,
                nonce.bindMemory(to: UInt8.self).baseAddress) == 1,
            EVP_EncryptUpdate(context.pointer, bytes, &count, bytes, length) == 1, count == length,
            EVP_EncryptFinal_ex(context.pointer, bytes.map { $0 + size }, &end) == 1,
            EVP_CIPHER_CTX_ctrl(
                context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), bytes.map { $0 + size }) == 1
        else { throw .configuration("encryption failed", OpenSSLError.takeQueue()) }
    }

    /// Decrypts `text` in place, whose last 16 bytes are the tag; the plaintext has 16 bytes less.
    ///
    /// - Returns: false if the tag is wrong; `text` then must not be used.
    package mutating func open(
        key: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer, text: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard key.count == Self.keyBytes, nonce.count == Self.nonceBytes, text.count >= Self.tagBytes else {
            return false
        }
        defer { ERR_clear_error() }
        let bytes = text.bindMemory(to: UInt8.self).baseAddress
        let size = text.count - Self.tagBytes
        var count = Int32(0)
        var end = Int32(0)
        guard let length = Int32(exactly: size),
            EVP_DecryptInit_ex(
                context.pointer, cipher.pointer, nil, key.bindMemory(to: UInt8.self).baseAddress,
                nonce.bindMemory(to: UInt8.self).baseAddress) == 1,
            EVP_DecryptUpdate(context.pointer, bytes, &count, bytes, length) == 1, count == length,
            EVP_CIPHER_CTX_ctrl(
                context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), bytes.map { $0 + size }) == 1
        else { return false }
        return EVP_DecryptFinal_ex(context.pointer, bytes.map { $0 + size }, &end) == 1
    }
}
