import CarillonProvider
import Testing

/// The CONNECT request to a proxy, and whether its answer, which may come in pieces, connects.
struct ProxyTests {
    @Test(arguments: [
        (text: "proxy.internal:3128", host: "proxy.internal", port: 3_128),
        (text: "10.0.0.1:80", host: "10.0.0.1", port: 80), (text: "[::1]:8080", host: "::1", port: 8_080),
    ])
    func `the address of a proxy is host and port`(_ proxy: (text: String, host: String, port: Int)) throws {
        let address = try #require(Proxy.address(proxy.text))
        #expect(address.host == proxy.host)
        #expect(address.port == proxy.port)
    }

    @Test(arguments: ["", "proxy", "proxy:", ":3128", "proxy:0", "proxy:65536", "::1:80", "http://proxy:80", "a b:80"])
    func `a text that is not host and port is no address`(_ text: String) {
        #expect(Proxy.address(text) == nil)
    }

    @Test func `the request names the target and the credentials`() {
        let open = Proxy.connectRequest(host: "api.push.apple.com", port: 443, credentials: [])
        #expect(
            String(decoding: open, as: UTF8.self)
                == "CONNECT api.push.apple.com:443 HTTP/1.1\r\nHost: api.push.apple.com:443\r\n\r\n")
        let closed = Proxy.connectRequest(host: "::1", port: 443, credentials: Array("Aladdin:open sesame".utf8))
        #expect(
            String(decoding: closed, as: UTF8.self).contains(
                "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n"
                    + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"))
    }

    @Test(arguments: [("a:", "YTo="), ("a:b", "YTpi"), ("a:bc", "YTpiYw=="), (":", "Og==")])
    func `credentials of any length are base64`(_ credentials: String, _ text: String) {
        let request = Proxy.connectRequest(host: "h", port: 2, credentials: Array(credentials.utf8))
        #expect(String(decoding: request, as: UTF8.self).contains("Basic \(text)\r\n"))
    }

    @Test(arguments: [
        ("HTTP/1.1 200 Connection established\r\n\r\n", Proxy.Answer.connected(consumed: 39)),
        ("HTTP/1.0 200 OK\r\nVia: x\r\n\r\nmore", .connected(consumed: 27)),
        ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", .refused(.authentication)),
        ("HTTP/1.1 503 Service Unavailable\r\n\r\n", .refused(.status(503))),
        ("HTTP/1.1 200 OK\r\n", .needMore), ("", .needMore), ("HTT", .needMore),
        ("SSH-2.0-OpenSSH\r\n\r\n", .refused(.notHTTP)), ("HTTP/2 200\r\n\r\n", .refused(.notHTTP)),
        ("HTTP/1.1 ABC\r\n\r\n", .refused(.notHTTP)), ("HTTP/1.1\r\n\r\n", .refused(.notHTTP)),
    ])
    func `the answer of the proxy connects or says why not`(_ answer: String, _ meaning: Proxy.Answer) {
        #expect(Proxy.parseAnswer(Array(answer.utf8)) == meaning)
    }

    @Test func `an answer without end is given up`() {
        let endless = Array("HTTP/1.1 200 OK\r\n".utf8) + [UInt8](repeating: 0x61, count: Proxy.maximumAnswerBytes)
        #expect(Proxy.parseAnswer(endless) == .refused(.notHTTP))
    }

    @Test func `an answer may come byte by byte`() {
        let answer = Array("HTTP/1.1 200 OK\r\nVia: x\r\n\r\n".utf8)
        for count in 0..<answer.count { #expect(Proxy.parseAnswer(answer.prefix(count)) == .needMore) }
        #expect(Proxy.parseAnswer(answer) == .connected(consumed: answer.count))
    }
}
