import CarillonTLS
import Testing

struct HMACSHA256Tests {
    private func authenticate(key: [UInt8], message: ArraySlice<UInt8>, then second: ArraySlice<UInt8>) throws
        -> [UInt8]
    {
        var hmac = try HMACSHA256()
        var result = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        try key.withUnsafeBytes { key in
            try message.withUnsafeBytes { message in
                try second.withUnsafeBytes { second in
                    try result.withUnsafeMutableBytes { result in
                        try hmac.authenticate(key: key, message: message, then: second, into: result)
                    }
                }
            }
        }
        return result
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.7.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `a message in two parts has the result of the RFC`(_ key: String, _ message: String, _ expected: String) throws
    {
        let message = Array(message.utf8)
        for split in [0, message.count / 2, message.count] {
            let result = try authenticate(key: bytes(ofHex: key), message: message[..<split], then: message[split...])
            #expect(result == bytes(ofHex: expected), "after \(split) bytes")
        }
    }
}
