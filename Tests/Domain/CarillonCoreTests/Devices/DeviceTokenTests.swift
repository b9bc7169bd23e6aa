import CarillonCore
import Testing

struct DeviceTokenTests {
    @Test(
        arguments: [
            ("00", [0x00]), ("0aFf", [0x0A, 0xFF]),
            (String(repeating: "ab", count: 200), Array(repeating: 0xAB, count: 200)),
        ] as [(String, [UInt8])])
    func `a token is read from digits of either case`(_ hex: String, _ bytes: [UInt8]) throws {
        let token = try #require(DeviceToken(hex: hex))
        #expect(token.bytes == bytes)
        #expect(token.hex == hex.lowercased())
        #expect(DeviceToken(bytes) == token)
    }

    @Test(arguments: ["", "0", "abc", "0g", "ab ", " abcd", "<abcd>", "äb", String(repeating: "ab", count: 256)])
    func `a text that is no token is refused`(_ hex: String) {
        #expect(DeviceToken(hex: hex) == nil)
    }

    @Test func `a token has 1 to 255 bytes`() {
        #expect(DeviceToken([]) == nil)
        #expect(DeviceToken(Array(repeating: 1, count: 255)) != nil)
        #expect(DeviceToken(Array(repeating: 1, count: 256)) == nil)
    }

    @Test(arguments: [
        ("0123456789abcdef01", "01234567…"), ("0123456789abcdef", "01234567…"), ("0123456789abcd", "012345…"),
        ("0123456789", "0123…"), ("012345", "01…"), ("0123", "01…"), ("01", "…"),
    ])
    func `a printed token shows at most four bytes and never more than half`(_ hex: String, _ printed: String) throws {
        let token = try #require(DeviceToken(hex: hex))
        #expect("\(token)" == printed)
        #expect(String(reflecting: token) == printed)
        #expect(DeviceAddress(environment: .sandbox, kind: .device, token: token).shortenedToken == printed)
    }

    /// A text that is, or is not, a token of a kind.
    struct Example: CustomTestStringConvertible {
        let kind: TokenKind
        let text: String
        let isToken: Bool

        var testDescription: String { "\(kind.name) \(text)" }
    }

    @Test(arguments: [
        Example(kind: .fcm, text: "cNab:APA91b-_x.%~", isToken: true),
        Example(kind: .fcm, text: "a", isToken: true),
        Example(kind: .fcm, text: String(repeating: "a", count: 255), isToken: true),
        Example(kind: .fcm, text: "", isToken: false),
        Example(kind: .fcm, text: String(repeating: "a", count: 256), isToken: false),
        Example(kind: .fcm, text: "a/b", isToken: false),
        Example(kind: .fcm, text: "a\"b", isToken: false),
        Example(kind: .fcm, text: "ä", isToken: false),
        Example(kind: .fid, text: "cNabcdefghijklmnopqr-_", isToken: true),
        Example(kind: .fid, text: "gNabcdefghijklmnopqr-_", isToken: false),
        Example(kind: .fid, text: "cNabcdefghijklmnopqr-", isToken: false),
        Example(kind: .web, text: String(repeating: "0a", count: 32), isToken: true),
        Example(kind: .web, text: String(repeating: "0a", count: 31), isToken: false),
        Example(kind: .device, text: "0aff", isToken: true),
        Example(kind: .device, text: "cNab:", isToken: false),
    ])
    func `the kind of a token decides how it is written`(_ written: Example) {
        let token = DeviceToken(written.text, of: written.kind)
        #expect((token != nil) == written.isToken)
        #expect(token.map { $0.text(of: written.kind) } ?? written.text == written.text)
    }

    @Test func `a token of FCM has letters, digits and few signs`() throws {
        let accepted = (UInt8.min...UInt8.max).filter { byte in
            // In the middle of a long token, where the compiler checks many bytes at a time, and at the end of one.
            let tokens = [
                [UInt8](repeating: 0x61, count: 40) + [byte] + [UInt8](repeating: 0x61, count: 40), [0x61, byte],
            ]
            let results = Set(tokens.map { $0.withUnsafeBufferPointer(TokenKind.fcm.accepts) })
            #expect(results.count == 1, "byte \(byte)")
            return results == [true]
        }
        let text = "%-.0123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect(String(decoding: accepted, as: UTF8.self) == text)
    }
}
