/// The answers to a TLS client's hello that are not a handshake.
package enum BadHello {
    /// A ServerHello of TLS 1.1 (RFC 4346, section 7.4.1.3) with the suite ECDHE-RSA-AES128-CBC-SHA.
    package static let oldVersion: [UInt8] =
        [22, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2] + [UInt8](repeating: 0x5a, count: 32) + [0, 0xc0, 0x13, 0]
    /// An answer that is not TLS at all.
    package static let garbage = Array("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n".utf8)
    /// The alert `handshake_failure`.
    package static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
}
