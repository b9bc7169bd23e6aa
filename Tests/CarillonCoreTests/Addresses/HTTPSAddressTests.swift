import CarillonCore
import CarillonTestKit
import Testing

/// The URLs that a request can be sent to, and those that it cannot.
struct HTTPSAddressTests {
    @Test(
        arguments: [
            ("https://example.com", "example.com", 443, "/"),
            ("HTTPS://Example.COM:443/a%2bB?q=/x", "example.com", 443, "/a%2bB?q=/x"),
            ("https://push.example:8443/", "push.example", 8_443, "/"),
            ("https://a-b.example?x", "a-b.example", 443, "/?x"),
            ("https://localhost:1/p@q", "localhost", 1, "/p@q"), ("https://x1.2x/", nil, 0, ""),
            ("https://example.com/a b", nil, 0, ""), ("http://example.com/", nil, 0, ""), ("https:///x", nil, 0, ""),
            ("https://user@example.com/", nil, 0, ""), ("https://a:b@example.com/", nil, 0, ""),
            ("https://example.com:0/", nil, 0, ""), ("https://example.com:65536/", nil, 0, ""),
            ("https://example.com:/", nil, 0, ""), ("https://example.com:4a3/", nil, 0, ""),
            ("https://example.com:443:443/", nil, 0, ""), ("https://127.0.0.1/", nil, 0, ""),
            ("https://2130706433/", nil, 0, ""), ("https://0x7f.1/", nil, 0, ""), ("https://[::1]/", nil, 0, ""),
            ("https://127.1/", nil, 0, ""), ("https://example.0x1/", nil, 0, ""), ("https://example.com./", nil, 0, ""),
            ("https://.example.com/", nil, 0, ""), ("https://a..b/", nil, 0, ""), ("https://-a.b/", nil, 0, ""),
            ("https://a-.b/", nil, 0, ""), ("https://a_b.c/", nil, 0, ""), ("https://exämple.com/", nil, 0, ""),
            ("https://example.com/#f", nil, 0, ""), ("https://example.com/%zz", nil, 0, ""),
            ("https://example.com/%a", nil, 0, ""), ("https://example.com\\@evil.example/", nil, 0, ""),
            ("https://example.com/\r\nx: y", nil, 0, ""), ("", nil, 0, ""), ("https://", nil, 0, ""),
        ] as [(String, String?, UInt16, String)])
    func onlyWhatCanBeSentAsItStandsIsRead(_ url: String, _ host: String?, _ port: UInt16, _ target: String) {
        let address = HTTPSAddress(url)
        #expect(address?.host == host)
        guard let address else { return }
        #expect(address.port == port)
        #expect(address.target == target)
        #expect(address.origin == "https://\(address.host)" + (port == 443 ? "" : ":\(port)"))
    }

    @Test func lengthsAreBounded() {
        let start = "https://example.com/"
        #expect(HTTPSAddress(start + String(repeating: "a", count: 2_048 - start.utf8.count)) != nil)
        #expect(HTTPSAddress(start + String(repeating: "a", count: 2_049 - start.utf8.count)) == nil)
        #expect(HTTPSAddress("https://\(String(repeating: "a", count: 64)).com/") == nil)
        #expect(HTTPSAddress("https://\(String(repeating: "a.", count: 126))com/") == nil)
    }
}
