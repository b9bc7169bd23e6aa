import CarillonCore
import CarillonWebPush
import Glibc
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
    func onlyPushServicesOfBrowsersAreAllowed(_ host: String, _ isAllowed: Bool) throws {
        #expect(EndpointRules().allows(try address(host)) == isAllowed)
        #expect(EndpointRules().allows(try address(host, port: 8_443)) == false, "another port is another service")
    }

    @Test func theOperatorMayAddHosts() throws {
        let hosts = ["push.example.org", "*.up.example", "ntfy.internal.example:8443"]
        let rules = EndpointRules(additional: hosts.compactMap { EndpointRules.Host($0) })
        #expect(rules.allows(try address("push.example.org")))
        #expect(rules.allows(try address("a.b.up.example")))
        #expect(!rules.allows(try address("up.example")))
        #expect(rules.allows(try address("ntfy.internal.example", port: 8_443)))
        #expect(!rules.allows(try address("ntfy.internal.example")))
        #expect(rules.allows(try address("fcm.googleapis.com")))
        let open = EndpointRules(allowsPublicHosts: true)
        #expect(open.allows(try address("any.example")))
        #expect(!open.allows(try address("any.example", port: 80)))
    }

    @Test(arguments: [
        "", "*", "*.", "*.com", "https://a.example", "a.example/", "a.example/x", "a.example?", "127.0.0.1", "[::1]",
        "a.example:0", "a example", "*.*.example", "u@a.example", "a.*.example",
    ])
    func anEntryThatMatchesEveryHostIsRefused(_ text: String) {
        #expect(EndpointRules.Host(text) == nil)
    }

    @Test func anAddressMustBePublicUnlessTheHostIsInternal() throws {
        let entries = [
            EndpointRules.Host("push.example.org"), EndpointRules.Host("ntfy.corp.example", isInternal: true),
        ].compactMap { $0 }
        let rules = EndpointRules(additional: entries)
        let (open, own) = (try address("push.example.org"), try address("ntfy.corp.example"))
        let publicly = try ["93.184.216.34", "10.0.0.1"].filter { rules.mayConnect(to: try ip($0), for: open) }
        #expect(publicly == ["93.184.216.34"])
        let internally = try ["10.0.0.1", "127.0.0.1", "fd00::1", "::1", "224.0.0.1", "0.0.0.0", "::ffff:10.0.0.1"]
            .filter { rules.mayConnect(to: try ip($0), for: own) }
        #expect(internally == ["10.0.0.1", "127.0.0.1", "fd00::1", "::1"])
        #expect(!rules.mayConnect(to: try ip("93.184.216.34"), for: try address("example.com")), "not on the list")
    }

    private func ip(_ text: String) throws -> NetworkAddress {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            return try #require(NetworkAddress(withUnsafeBytes(of: four) { Array($0) }))
        }
        var six = in6_addr()
        try #require(inet_pton(AF_INET6, text, &six) == 1)
        return try #require(NetworkAddress(withUnsafeBytes(of: six) { Array($0) }))
    }

    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "11.0.0.0",
        "9.255.255.255", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "2600::1", "2a00:1450::1",
        "2001:200::1", "2001:4860:4860::8888", "2003::1", "3ffe:ffff::1",
    ])
    func aPublicAddressIsConnectedTo(_ text: String) throws {
        #expect(try ip(text).isPublic)
        #expect(try ip(text).isUnicast)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
        "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255",
        // Unspecified, loopback, IPv4-compatible, IPv4-mapped, NAT64, discard, Teredo, ORCHID, documentation, 6to4.
        "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::808:808",
        "64:ff9b:1::1", "100::1", "2001::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "5f00::1",
        // Unique local, link-local, site-local, multicast, unassigned.
        "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "4000::1", "8000::1",
    ])
    func anAddressThatIsNotPublicIsNotConnectedTo(_ text: String) throws {
        #expect(try !ip(text).isPublic)
    }

    @Test func anAddressHasFourOrSixteenBytes() {
        for count in 0...20 {
            #expect((NetworkAddress([UInt8](repeating: 1, count: count)) != nil) == (count == 4 || count == 16))
        }
    }
}
