import CarillonServer
import Glibc

/// The command `check-health`, which asks the server at `metrics.host` for `/healthz`. It is for containers, which have
/// no curl.
enum HealthCheck {
    /// The longest wait for the answer, in seconds.
    private static let timeoutSeconds = 5

    /// Asks the server that has these settings for its health.
    ///
    /// - Returns: the phase that the server says, and true if it is healthy.
    /// - Throws: `SettingsError` if there is no port to ask, or no answer.
    static func run(_ settings: Settings) throws(SettingsError) -> (phase: String, isHealthy: Bool) {
        guard !settings.metrics.host.isEmpty else {
            throw SettingsError("metrics.host", fault: "is empty, so that the server tells nothing about its health")
        }
        let wildcards = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        let host = wildcards[settings.metrics.host] ?? settings.metrics.host
        let port = settings.metrics.port == 0 ? try writtenPort(settings.metrics.portFile) : settings.metrics.port
        guard let answer = ask(host: host, port: port) else {
            throw SettingsError("metrics.port", fault: "\(port) of \(host) has not answered in \(timeoutSeconds) s")
        }
        // The empty line ends the head of the answer.
        let lines = answer.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let end = lines.firstIndex(of: "") else {
            throw SettingsError("metrics.port", fault: "\(port) of \(host) does not speak HTTP")
        }
        return (String(lines[(end + 1)...].joined().prefix { !$0.isNewline }), words[1] == "200")
    }

    private static func writtenPort(_ path: String) throws(SettingsError) -> Int {
        var bytes = [UInt8](repeating: 0, count: 16)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { if file >= 0 { close(file) } }
        let count = file < 0 ? -1 : read(file, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        guard let port = Int(text.prefix { $0.isNumber }), (1...65_535).contains(port) else {
            throw SettingsError(
                "metrics.portFile", fault: "has no port: the server is not running, or metrics.port is 0 without it")
        }
        return port
    }

    /// Returns the answer to the request, at most 64 KiB of it; nil if the server does not answer.
    private static func ask(host: String, port: Int) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            if let answer = ask(address) { return answer }
            next = address.ai_next
        }
        return nil
    }

    private static func ask(_ address: addrinfo) -> String? {
        let connection = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        guard connect(connection, address.ai_addr, address.ai_addrlen) == 0,
            send(connection, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count
        else { return nil }
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while answer.count < 65_536 {
            let count = recv(connection, &piece, piece.count, 0)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            answer += piece[..<count]
        }
        return answer.isEmpty ? nil : String(decoding: answer, as: UTF8.self)
    }
}
