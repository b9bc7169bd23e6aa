import CarillonCore

/// An HTTP proxy between the server and the provider: the CONNECT request and the meaning of its answer (RFC 9110
/// section 9.3.6).
package struct Proxy: Hashable, Sendable {
    /// The answer of the proxy, as far as its bytes have come.
    package enum Answer: Hashable, Sendable {
        case needMore
        /// The tunnel is open; the bytes after the first `consumed` are the peer's.
        case connected(consumed: Int)
        case refused(TunnelError)
    }

    package enum TunnelError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The proxy answered with another status than 2xx.
        case status(Int)
        /// The proxy wants credentials, or refuses the ones given (407).
        case authentication
        /// The answer is not HTTP/1, or too long.
        case notHTTP
        /// The proxy did not answer in time, or closed.
        case silent

        /// The reason as logs show it.
        package var description: String {
            switch self {
            case .status(let status): "the proxy answered \(status) to CONNECT"
            case .authentication:
                "the proxy refuses the credentials in proxy.credentialsFile, or asks for some (407)"
            case .notHTTP: "the proxy does not answer in HTTP"
            case .silent: "the proxy closed or did not answer"
            }
        }
    }

    package static let maximumAnswerBytes = 8_192

    package let host: String
    package let port: Int

    /// Checks nothing: ``address(_:)`` does.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Returns the host and the port of `host:port` or `[v6]:port`; nil if the text is neither.
    package static func address(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        let isPrintable = host.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, isPrintable else { return nil }
        return (String(host), Int(port))
    }

    /// Returns the request to open a tunnel to `host` and `port`.
    ///
    /// - Parameter credentials: `user:password` for basic authentication (RFC 7617).
    package static func connectRequest(
        host: String, port: Int, credentials: some RandomAccessCollection<UInt8>
    ) -> [UInt8] {
        let target = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        var request = Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n".utf8)
        if !credentials.isEmpty {
            request += "Proxy-Authorization: Basic ".utf8
            Base64.append(credentials, to: &request)
            request += "\r\n".utf8
        }
        return request + "\r\n".utf8
    }

    /// Returns the meaning of an answer; `bytes` is all of it that was received so far.
    package static func parseAnswer(_ bytes: some Collection<UInt8>) -> Answer {
        let head = Array(bytes.prefix(maximumAnswerBytes))
        let start = Array("HTTP/1.".utf8)
        guard head.prefix(start.count).elementsEqual(start.prefix(head.count)) else { return .refused(.notHTTP) }
        guard let end = endOfHeaders(head) else {
            return bytes.count >= maximumAnswerBytes ? .refused(.notHTTP) : .needMore
        }
        // HTTP/1.1 200 Connection established
        let digits = head.dropFirst(start.count + 2).prefix(3)
        guard digits.count == 3, let status = Int(String(decoding: digits, as: UTF8.self)),
            (100...599).contains(status)
        else { return .refused(.notHTTP) }
        switch status {
        case 200..<300: return .connected(consumed: end)
        case 407: return .refused(.authentication)
        default: return .refused(.status(status))
        }
    }

    private static func endOfHeaders(_ bytes: [UInt8]) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= end.count else { return nil }
        for start in 0...(bytes.count - end.count) where bytes[start..<start + end.count].elementsEqual(end) {
            return start + end.count
        }
        return nil
    }
}

extension Proxy: CustomStringConvertible {
    package var description: String { "\(host):\(port)" }
}
