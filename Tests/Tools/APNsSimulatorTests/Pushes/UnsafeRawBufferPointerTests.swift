import Testing

@testable import apns_simulator

/// The comparisons and parsers of a request's bytes, which read several bytes at a time.
struct UnsafeRawBufferPointerTests {
    @Test func `a prefix is removed only from bytes that begin with that prefix`() {
        func rest(of text: String) -> String? {
            Array(text.utf8).withUnsafeBytes { $0.removing(prefix: "/3/device/")?.text }
        }
        #expect(rest(of: "/3/device/ab01") == "ab01")
        #expect(rest(of: "/3/device/") == "")
        #expect(rest(of: "/3/device") == nil)
        #expect(rest(of: "/3/devices/ab01") == nil)
        #expect(rest(of: "") == nil)
    }

    @Test func `an id has hexadecimal digits and dashes in their places`() {
        let good = Array("01234567-89ab-cdef-0123-456789abcdef".utf8)
        #expect(good.withUnsafeBytes { $0.isCanonicalUUID })
        for place in good.indices {
            let isDash = good[place] == UInt8(ascii: "-")
            for byte in UInt8.min...UInt8.max {
                var id = good
                id[place] = byte
                let isHex = "0123456789abcdef".utf8.contains(byte)
                let expected = isDash ? byte == UInt8(ascii: "-") : isHex
                #expect(id.withUnsafeBytes { $0.isCanonicalUUID } == expected, "byte \(byte) at \(place)")
            }
        }
    }

    @Test(arguments: ["alert", ":path", ":method", "apns-id", "apns-collapse-id", "authorization"])
    func `texts that differ in one byte differ`(text: String) {
        let names: [StaticString] = ["alert", ":path", ":method", "apns-id", "apns-collapse-id", "authorization"]
        let bytes = Array(text.utf8)
        #expect(names.count { name in bytes.withUnsafeBytes { $0.equals(name) } } == 1)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            for name in names { #expect(!other.withUnsafeBytes { $0.equals(name) }) }
        }
    }
}
