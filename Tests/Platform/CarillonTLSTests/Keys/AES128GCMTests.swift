import CarillonTLS
import Testing

struct AES128GCMTests {
    private let key = [UInt8](repeating: 0, count: AES128GCM.keyBytes)
    private let nonce = [UInt8](repeating: 0, count: AES128GCM.nonceBytes)

    /// Returns a text encrypted, with its tag after it.
    private func seal(_ plaintext: [UInt8]) throws -> [UInt8] {
        var cipher = try AES128GCM()
        var text = plaintext + [UInt8](repeating: 0, count: AES128GCM.tagBytes)
        try key.withUnsafeBytes { key in
            try nonce.withUnsafeBytes { nonce in
                try text.withUnsafeMutableBytes { try cipher.seal(key: key, nonce: nonce, text: $0) }
            }
        }
        return text
    }

    /// Returns a text decrypted; nil if it is refused.
    private func open(_ sealed: [UInt8]) throws -> [UInt8]? {
        var cipher = try AES128GCM()
        var text = sealed
        let isGood = key.withUnsafeBytes { key in
            nonce.withUnsafeBytes { nonce in
                text.withUnsafeMutableBytes { cipher.open(key: key, nonce: nonce, text: $0) }
            }
        }
        return isGood ? Array(text.dropLast(AES128GCM.tagBytes)) : nil
    }

    /// Test cases 1 and 2 of "The Galois/Counter Mode of Operation", McGrew and Viega.
    @Test(arguments: [
        ("", "58e2fccefa7e3061367f1d57a4e7455a"),
        ("00000000000000000000000000000000", "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"),
    ])
    func `a text is sealed as in the specification and opened`(_ plaintext: String, _ sealed: String) throws {
        #expect(try seal(bytes(ofHex: plaintext)) == bytes(ofHex: sealed))
        #expect(try open(bytes(ofHex: sealed)) == bytes(ofHex: plaintext))
    }

    @Test func `a text with another bit is refused`() throws {
        let sealed = try seal([1, 2, 3])
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try open(changed) == nil, "byte \(index)")
        }
    }

    @Test func `a text that is shorter than its tag is refused`() throws {
        #expect(try open([UInt8](repeating: 0, count: AES128GCM.tagBytes - 1)) == nil)
    }
}
