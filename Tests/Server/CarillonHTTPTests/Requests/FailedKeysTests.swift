import CarillonCore
import Testing

@testable import CarillonHTTP

/// How long an address that has tried wrong keys must wait.
struct FailedKeysTests {
    @Test func `an address may try five wrong keys and then one each six seconds`() {
        var keys = FailedKeys()
        for _ in 0..<5 {
            #expect(keys.waitMilliseconds(of: "10.0.0.1", at: 1_000) == 0)
            keys.keyRefused(from: "10.0.0.1", at: 1_000)
        }
        #expect(keys.waitMilliseconds(of: "10.0.0.1", at: 1_000) == 6_000)
        #expect(keys.waitMilliseconds(of: "10.0.0.1", at: 6_999) == 1)
        #expect(keys.waitMilliseconds(of: "10.0.0.1", at: 7_000) == 0)
        keys.keyRefused(from: "10.0.0.1", at: 7_000)
        #expect(keys.waitMilliseconds(of: "10.0.0.1", at: 7_000) == 6_000)
        #expect(keys.waitMilliseconds(of: "10.0.0.2", at: 7_000) == 0)
    }

    @Test(arguments: [
        (of: "2001:db8:1:2::", other: "2001:db8:1:2:3:4:5:6", outside: "2001:db8:1:3::1"),
        (of: "2001:db8::", other: "2001:db8:0:0:3:4:5:6", outside: "2001:db8:0:1::1"),
        (of: "fe80::1:", other: "fe80::2:3", outside: "fe80:0:0:1::1"),
        (of: "::", other: "::abcd", outside: "0:0:0:1::1"),
    ])
    func `a network of IPv6 is one address`(network: (of: String, other: String, outside: String)) {
        var keys = FailedKeys()
        for host in 1...5 { keys.keyRefused(from: "\(network.of)\(host)", at: 0) }
        #expect(keys.waitMilliseconds(of: network.other, at: 0) > 0)
        #expect(keys.waitMilliseconds(of: network.outside, at: 0) == 0)
    }

    @Test func `an address of IPv4 in the notation of IPv6 is one address`() {
        var keys = FailedKeys()
        for _ in 1...5 { keys.keyRefused(from: "::ffff:10.0.0.1", at: 0) }
        #expect(keys.waitMilliseconds(of: "::ffff:10.0.0.1", at: 0) > 0)
        #expect(keys.waitMilliseconds(of: "::ffff:10.0.0.2", at: 0) == 0)
    }

    @Test func `many addresses together are limited and remembered within a bound`() {
        var keys = FailedKeys()
        for number in 0..<5_000 {
            keys.keyRefused(from: "10.\(number / 65_536).\(number / 256 % 256).\(number % 256)", at: 0)
        }
        #expect(keys.waitMilliseconds(of: "10.9.9.9", at: 0) > 0)
        #expect(keys.count <= FailedKeys.maximumAddresses)
    }
}
