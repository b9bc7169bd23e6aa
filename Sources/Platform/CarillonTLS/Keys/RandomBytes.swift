import CCarillonOpenSSL

/// Returns `count` unpredictable bytes: RAND_bytes(3).
package func randomBytes(_ count: Int) throws(TLSError) -> [UInt8] {
    guard let size = Int32(exactly: count), size >= 0 else { throw .misuse("\(count) random bytes") }
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, size) == 1 else {
        throw .configuration("no random bytes", OpenSSLError.takeQueue())
    }
    return bytes
}

/// Fills a buffer with unpredictable bytes: RAND_bytes(3).
package func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer) throws(TLSError) {
    let bytes = buffer.bindMemory(to: UInt8.self).baseAddress
    guard let size = Int32(exactly: buffer.count), RAND_bytes(bytes, size) == 1 else {
        throw .configuration("no random bytes", OpenSSLError.takeQueue())
    }
}
