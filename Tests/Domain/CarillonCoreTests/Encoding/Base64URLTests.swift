import CarillonCore
import CarillonTestKit
import Testing

/// Base64 with the URL alphabet, by the examples of RFC 4648.
struct Base64URLTests {
    @Test(arguments: [
        // RFC 4648, section 10, without padding.
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the texts are those of the specification`(_ plain: String, _ encoded: String) {
        #expect(String(decoding: Base64URL.encode(Array(plain.utf8)), as: UTF8.self) == encoded)
        #expect(Base64URL.decode(encoded.utf8) == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg==", "Zm9", "Zm9v\n", " Zm9v", "Zm+v", "Zm/v", "Zm9vZ", "Zh", "Zm8=", "Zm9vä", "Zm.v"])
    func `a text that is not base64 URL is refused`(_ text: String) {
        // Zm9 and Zh have bits that no byte uses.
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test(arguments: TestSeeds.of(1...3)) func `random bytes are read back`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
