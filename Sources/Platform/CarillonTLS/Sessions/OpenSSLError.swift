import CCarillonOpenSSL

/// One entry of OpenSSL's error queue: ERR_get_error(3).
package struct OpenSSLError: Error, Hashable, Sendable {
    /// The packed code, as `openssl errstr` takes it in hexadecimal.
    package let code: UInt

    /// True if the entry was raised by libssl, not by libcrypto or the system.
    package var isFromTLS: Bool { ERR_GET_LIB(code) == ERR_LIB_SSL }

    /// The reason, meaningful together with the library that raised it.
    package var reason: Int32 { ERR_GET_REASON(code) }

    /// Removes and returns the calling thread's errors, oldest first.
    static func takeQueue() -> [OpenSSLError] {
        var entries: [OpenSSLError] = []
        while case let code = ERR_get_error(), code != 0 {
            entries.append(OpenSSLError(code: code))
        }
        return entries
    }
}

extension OpenSSLError: CustomStringConvertible {
    /// OpenSSL's text for the code: constant, without data of the connection.
    package var description: String {
        guard let text = ERR_reason_error_string(code) else { return "error \(String(code, radix: 16))" }
        return String(cString: text)
    }
}
