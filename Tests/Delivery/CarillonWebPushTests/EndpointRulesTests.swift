import CarillonCore
import CarillonTLS
import CarillonWebPush
import Testing

/// The hosts and addresses that requests may go to.
struct EndpointRulesTests {
    private func address(_ host: String, port: Int = 443) throws -> HTTPSAddress {
        try #require(HTTPSAddress("https://\(host):\(port)/x"))
    }

    @Test(arguments: [
        ("fcm.googleapis.com", true), ("FCM.googleapis.com", true), ("updates.push.services.mozilla.com", true),
        ("web.push.apple.com", true), ("db5p.notify.windows.com", true), ("jmt17.google.com", true),
        ("push.apple.com", false), ("evil-push.apple.com", false), ("apple.com", false),
        ("fcm.googleapis.com.evil.example", false), ("xfcm.googleapis.com", false), ("notify.windows.com", false),
        ("localhost", false), ("example.com", false), ("push.services.mozilla.com", false),
    ])
    func `only push services of browsers are allowed`(_ host: String, _ isAllowed: Bool) throws {
        #expect(EndpointRules().allows(try address(host)) == isAllowed)
        #expect(EndpointRules().allows(try address(host, port: 8_443)) == false, "another port is another service")
    }

    @Test(arguments: [
        ("push.example.org", 443, true), ("a.b.up.example", 443, true), ("up.example", 443, false),
        ("ntfy.internal.example", 8_443, true), ("ntfy.internal.example", 443, false),
        ("fcm.googleapis.com", 443, true),
    ])
    func `the operator may add hosts`(_ host: String, port: Int, isAllowed: Bool) throws {
        let hosts = ["push.example.org", "*.up.example", "ntfy.internal.example:8443"]
        let rules = EndpointRules(additional: hosts.compactMap { EndpointRules.Host($0) })
        #expect(rules.allows(try address(host, port: port)) == isAllowed)
    }

    @Test func `the operator may allow all public hosts`() throws {
        let open = EndpointRules(allowsPublicHosts: true)
        #expect(open.allows(try address("any.example")))
        #expect(!open.allows(try address("any.example", port: 80)))
    }

    @Test(arguments: [
        "", "*", "*.", "*.com", "https://a.example", "a.example/", "a.example/x", "a.example?", "127.0.0.1", "[::1]",
        "a.example:0", "a example", "*.*.example", "u@a.example", "a.*.example",
    ])
    func `an entry that is no host is refused`(_ text: String) {
        #expect(EndpointRules.Host(text) == nil)
    }

    @Test func `an address must be public unless the host is internal`() throws {
        let entries = [
            EndpointRules.Host("push.example.org"), EndpointRules.Host("ntfy.corp.example", isInternal: true),
        ].compactMap { $0 }
        let rules = EndpointRules(additional: entries)
        let open = try address("push.example.org")
        let own = try address("ntfy.corp.example")
        let publicly = try ["93.184.216.34", "10.0.0.1"].filter { rules.mayConnect(to: try .reading($0), for: open) }
        #expect(publicly == ["93.184.216.34"])
        let internally = try ["10.0.0.1", "127.0.0.1", "fd00::1", "::1", "224.0.0.1", "0.0.0.0", "::ffff:10.0.0.1"]
            .filter { rules.mayConnect(to: try .reading($0), for: own) }
        #expect(internally == ["10.0.0.1", "127.0.0.1", "fd00::1", "::1"])
        #expect(
            !rules.mayConnect(to: try .reading("93.184.216.34"), for: try address("example.com")), "not on the list")
    }

    // MARK: Subscriptions

    private static let endpoint = "https://wns2-par02p.notify.windows.com/w/?token=BQY%2bA%2fz"

    /// Makes a subscription with a public key in base64url.
    private static func subscription(key: String) throws -> WebPushSubscription {
        try WebPushSubscription(
            endpoint: endpoint, publicKey: try #require(Base64URL.decode(key.utf8)),
            secret: [UInt8](repeating: 1, count: WebPushSubscription.secretBytes))
    }

    private static let key =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    /// The server refuses a registration with a key that is no point.
    @Test(arguments: [(key, true), (String(key.dropLast()) + "A", false)])
    func `a subscription says whether its key is a point of the curve`(_ key: String, _ isPoint: Bool) throws {
        #expect(try Self.subscription(key: key).hasPointOfCurve == isPoint)
    }

    @Test func `the token of a subscription is the hash of its endpoint`() throws {
        #expect(try Self.subscription(key: Self.key).token == SHA256.hash(Array(Self.endpoint.utf8)))
    }
}
