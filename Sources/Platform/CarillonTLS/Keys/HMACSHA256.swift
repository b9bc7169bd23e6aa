import CCarillonOpenSSL

/// HMAC with SHA-256 (RFC 2104), in one context for any number of messages. Not `Sendable`: one thread uses it at
/// a time.
package struct HMACSHA256: ~Copyable {
    private let context: Handle

    package static let byteCount = SHA256.byteCount

    package init() throws(TLSError) {
        let mac = EVP_MAC_fetch(nil, "HMAC", nil)
        defer { EVP_MAC_free(mac) }
        guard let context = Handle(owning: EVP_MAC_CTX_new(mac), free: EVP_MAC_CTX_free) else {
            throw .configuration("HMAC is missing from this OpenSSL", OpenSSLError.takeQueue())
        }
        var digest = Array("SHA256".utf8CString)
        let isSet = digest.withUnsafeMutableBufferPointer { name in
            let parameters = [
                OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_CTX_set_params(context.pointer, parameters)
        }
        guard isSet == 1 else { throw .configuration("SHA-256 is missing", OpenSSLError.takeQueue()) }
        self.context = context
    }

    /// Writes the result for `key` and the two parts of a message into `result`, which has 32 bytes.
    package mutating func authenticate(
        key: UnsafeRawBufferPointer, message: UnsafeRawBufferPointer,
        then second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        into result: UnsafeMutableRawBufferPointer
    ) throws(TLSError) {
        precondition(result.count == Self.byteCount)
        var count = 0
        let base = result.bindMemory(to: UInt8.self).baseAddress
        guard
            EVP_MAC_init(context.pointer, key.bindMemory(to: UInt8.self).baseAddress, key.count, nil) == 1,
            EVP_MAC_update(context.pointer, message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1,
            EVP_MAC_update(context.pointer, second.bindMemory(to: UInt8.self).baseAddress, second.count) == 1,
            EVP_MAC_final(context.pointer, base, &count, result.count) == 1, count == result.count
        else { throw .configuration("HMAC failed", OpenSSLError.takeQueue()) }
    }
}
