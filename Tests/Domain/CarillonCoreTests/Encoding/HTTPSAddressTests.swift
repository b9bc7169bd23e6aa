import CarillonCore
import CarillonTestKit
import Testing

/// The URLs that a request can be sent to, and those that it cannot.
struct HTTPSAddressTests {
    /// A URL, and what is read from it.
    struct Address: CustomTestStringConvertible {
        let url: String
        let host: String
        var port: UInt16 = 443
        let target: String

        var testDescription: String { url }
    }

    @Test(
        arguments: [
            Address(url: "https://example.com", host: "example.com", target: "/"),
            Address(url: "HTTPS://Example.COM:443/a%2bB?q=/x", host: "example.com", target: "/a%2bB?q=/x"),
            Address(url: "https://push.example:8443/", host: "push.example", port: 8_443, target: "/"),
            Address(url: "https://a-b.example?x", host: "a-b.example", target: "/?x"),
            Address(url: "https://localhost:1/p@q", host: "localhost", port: 1, target: "/p@q"),
        ])
    func `an address is read as it stands`(_ expected: Address) throws {
        let address = try #require(HTTPSAddress(expected.url))
        #expect(address.host == expected.host)
        #expect(address.port == expected.port)
        #expect(address.target == expected.target)
        #expect(address.origin == "https://\(address.host)" + (expected.port == 443 ? "" : ":\(expected.port)"))
    }

    @Test(arguments: [
        "https://x1.2x/", "https://example.com/a b", "http://example.com/", "https:///x", "https://user@example.com/",
        "https://a:b@example.com/", "https://example.com:0/", "https://example.com:65536/", "https://example.com:/",
        "https://example.com:4a3/", "https://example.com:443:443/", "https://127.0.0.1/", "https://2130706433/",
        "https://0x7f.1/", "https://[::1]/", "https://127.1/", "https://example.0x1/", "https://example.com./",
        "https://.example.com/", "https://a..b/", "https://-a.b/", "https://a-.b/", "https://a_b.c/",
        "https://exämple.com/", "https://example.com/#f", "https://example.com/%zz", "https://example.com/%a",
        "https://example.com\\@evil.example/", "https://example.com/\r\nx: y", "", "https://",
    ])
    func `a URL that is no HTTPS address is refused`(_ url: String) {
        #expect(HTTPSAddress(url) == nil)
    }

    @Test func `a URL that is too long is refused`() {
        let start = "https://example.com/"
        #expect(HTTPSAddress(start + String(repeating: "a", count: 2_048 - start.utf8.count)) != nil)
        #expect(HTTPSAddress(start + String(repeating: "a", count: 2_049 - start.utf8.count)) == nil)
        #expect(HTTPSAddress("https://\(String(repeating: "a", count: 64)).com/") == nil)
        #expect(HTTPSAddress("https://\(String(repeating: "a.", count: 126))com/") == nil)
    }
}
