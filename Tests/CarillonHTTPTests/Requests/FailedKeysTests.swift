import CarillonCore
import Testing

@testable import CarillonHTTP

/// The wait of an address that has tried wrong keys.
struct FailedKeysTests {
    @Test func anAddressMayTryFiveWrongKeysAndThenOneEachSixSeconds() {
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

    @Test func aNetworkOfIPv6IsOneAddress() {
        var keys = FailedKeys()
        for host in 1...5 { keys.keyRefused(from: "2001:db8:1:2::\(host)", at: 0) }
        #expect(keys.waitMilliseconds(of: "2001:db8:1:2:3:4:5:6", at: 0) > 0)
        #expect(keys.waitMilliseconds(of: "2001:db8:1:3::1", at: 0) == 0)
    }

    @Test func manyAddressesTogetherAreLimitedAndRememberedWithinABound() {
        var keys = FailedKeys()
        for number in 0..<5_000 {
            keys.keyRefused(from: "10.\(number / 65_536).\(number / 256 % 256).\(number % 256)", at: 0)
        }
        #expect(keys.waitMilliseconds(of: "10.9.9.9", at: 0) > 0)
        #expect(keys.count <= FailedKeys.maximumAddresses)
    }
}
