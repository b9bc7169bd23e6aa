import CarillonCore
import Testing

/// Tokens, ids and the short texts that describe a device.
struct DeviceTests {
    @Test(
        arguments: [
            ("00", [0x00]), ("0aFf", [0x0A, 0xFF]),
            (String(repeating: "ab", count: 200), Array(repeating: 0xAB, count: 200)),
        ] as [(String, [UInt8])])
    func aTokenIsReadFromDigitsOfEitherCase(_ hex: String, _ bytes: [UInt8]) throws {
        let token = try #require(DeviceToken(hex: hex))
        #expect(token.bytes == bytes)
        #expect(token.hex == hex.lowercased())
        #expect(DeviceToken(bytes) == token)
    }

    @Test(arguments: ["", "0", "abc", "0g", "ab ", " abcd", "<abcd>", "äb", String(repeating: "ab", count: 256)])
    func aTextThatIsNoTokenIsRefused(_ hex: String) {
        #expect(DeviceToken(hex: hex) == nil)
    }

    @Test func aTokenHas1To255Bytes() {
        #expect(DeviceToken([]) == nil)
        #expect(DeviceToken(Array(repeating: 1, count: 255)) != nil)
        #expect(DeviceToken(Array(repeating: 1, count: 256)) == nil)
    }

    @Test func aTokenIsNeverPrintedWhole() throws {
        let token = try #require(DeviceToken(hex: "0123456789abcdef"))
        #expect("\(token)" == "01234567…")
        #expect(String(reflecting: token) == "01234567…")
        #expect(DeviceToken([1, 2])?.shortened == "0102")
    }

    /// A text, and true if it is a token of the kind.
    struct TokenText: CustomTestStringConvertible {
        let kind: TokenKind
        let text: String
        let isToken: Bool

        var testDescription: String { "\(kind.name) \(text)" }
    }

    @Test(arguments: [
        TokenText(kind: .fcm, text: "cNab:APA91b-_x.%~", isToken: true),
        TokenText(kind: .fcm, text: "a", isToken: true),
        TokenText(kind: .fcm, text: String(repeating: "a", count: 255), isToken: true),
        TokenText(kind: .fcm, text: "", isToken: false),
        TokenText(kind: .fcm, text: String(repeating: "a", count: 256), isToken: false),
        TokenText(kind: .fcm, text: "a/b", isToken: false),
        TokenText(kind: .fcm, text: "a\"b", isToken: false),
        TokenText(kind: .fcm, text: "ä", isToken: false),
        TokenText(kind: .fid, text: "cNabcdefghijklmnopqr-_", isToken: true),
        TokenText(kind: .fid, text: "gNabcdefghijklmnopqr-_", isToken: false),
        TokenText(kind: .fid, text: "cNabcdefghijklmnopqr-", isToken: false),
        TokenText(kind: .web, text: String(repeating: "0a", count: 32), isToken: true),
        TokenText(kind: .web, text: String(repeating: "0a", count: 31), isToken: false),
        TokenText(kind: .device, text: "0aff", isToken: true),
        TokenText(kind: .device, text: "cNab:", isToken: false),
    ])
    func aTokenIsWrittenAsItsKindSays(_ written: TokenText) {
        let token = DeviceToken(written.text, of: written.kind)
        #expect((token != nil) == written.isToken)
        #expect(token.map { $0.text(of: written.kind) } ?? written.text == written.text)
    }

    @Test func aRegistrationTokenHasOnlyTheseCharacters() throws {
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

    @Test func onlyAPNsHasASandbox() throws {
        for kind in TokenKind.allCases {
            let bytes = kind == .fid ? Array("cNabcdefghijklmnopqr-_".utf8) : Array(repeating: 0x61, count: 32)
            let token = try #require(DeviceToken(bytes))
            for environment in APNsEnvironment.allCases {
                let address = DeviceAddress(environment: environment, kind: kind, token: token)
                let isAllowed = kind.environments.contains(environment)
                #expect(address.fault == (isAllowed ? nil : .environment))
                #expect(isAllowed == (environment == .production || kind.provider == .apns))
            }
        }
        let short = try #require(DeviceToken([0x61]))
        #expect(DeviceAddress(environment: .production, kind: .web, token: short).fault == .token)
        let text = try #require(DeviceToken("cNab:APA91b", of: .fcm))
        let address = DeviceAddress(environment: .production, kind: .fcm, token: text)
        #expect(address.shortenedToken == "cNab…")
        #expect(address.tokenText == "cNab:APA91b")
    }

    @Test func aPlatformIsDerivedUnlessItIsSet() throws {
        func device(_ kind: TokenKind, _ platform: String? = nil) throws -> Device {
            let token = try #require(DeviceToken(Array("cNabcdefghijklmnopqr-_".utf8)))
            var device = Device(
                id: DeviceID(rawValue: 1),
                address: DeviceAddress(environment: .production, kind: kind, token: token),
                registeredAt: .zero, seenAt: Timestamp(milliseconds: 1_000), state: .active)
            if let platform {
                try device.attributes.merge([#require(AttributeChange(key: "platform", value: platform))])
            }
            return device
        }
        let devices = try [device(.voip), device(.fid), device(.web), device(.device, "macos")]
        #expect(devices.map(\.platform) == ["ios", "android", "web", "macos"])
        let silence: UInt64 = 270 * 86_400_000
        #expect(try device(.fcm).isStale(at: Timestamp(milliseconds: 1_000 + silence)))
        #expect(try !device(.fcm).isStale(at: Timestamp(milliseconds: 999 + silence)))
        #expect(try !device(.fcm).isStale(at: .zero), "seen ahead of the clock")
        #expect(try !device(.device).isStale(at: Timestamp(milliseconds: 9 * silence)))
    }

    @Test func bytesSurviveHexadecimalAndOtherTextsAreRefused() {
        let all = Array(UInt8.min ... .max)
        #expect(Hex.bytes(Hex.string(all)) == all)
        #expect(Hex.bytes(Hex.string(all).uppercased()) == all)
        #expect(Hex.bytes("") == [])
        for text in ["0", "0x", "zz", "00 ", "é"] { #expect(Hex.bytes(text) == nil) }
        #expect(all.filter { Hex.value(of: $0) != nil }.count == 22)
    }

    @Test(arguments: [
        "01234567-89ab-cdef-fedc-ba9876543210", "0123456789abcdeffedcba9876543210",
        "01234567-89AB-CDEF-FEDC-BA9876543210",
    ])
    func sixteenBytesAreReadWithOrWithoutHyphens(_ text: String) throws {
        let id = try #require(UUIDBytes(text))
        #expect(id == UUIDBytes(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(Hex.string(id.bytes) == "0123456789abcdeffedcba9876543210")
    }

    @Test(arguments: [
        "", "-", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100",
        "0123456789abcdeffedcba987654321g", "0-1-2-3-456789abcdeffedcba9876543210",
        "01234567-89ab-cdef-fedc-ba9876543210-", "{0123456789abcdeffedcba9876543210}",
    ])
    func whatIsNotSixteenBytesIsNotRead(_ text: String) {
        #expect(UUIDBytes(text) == nil)
    }

    @Test func aRandomUUIDIsOfVersion4() {
        let ids = (0..<100).map { _ in UUIDBytes.random() }
        #expect(ids.allSatisfy { $0.high >> 12 & 0xF == 4 && $0.low >> 62 == 0b10 })
        #expect(Set(ids).count == 100)
    }

    @Test(arguments: [
        ("com.example.game", true), ("a", true), ("A-1.b", true), (String(repeating: "a", count: 155), true),
        ("", false), (String(repeating: "a", count: 156), false), ("com.example.game ", false), ("a_b", false),
        ("a/b", false), ("*", false), ("ä", false), ("a\u{0}", false),
    ])
    func anAppIsABundleID(_ name: String, _ isGood: Bool) {
        #expect((AppID(name) != nil) == isGood)
        #expect(AppID(name).map(\.description) ?? name == name)
    }

    @Test(arguments: [
        ("de", true), ("zh-Hant-TW", true), (String(repeating: "a", count: 35), true), ("x1", true), ("d", false),
        ("", false), (String(repeating: "a", count: 36), false), ("de_DE", false), ("de DE", false), ("dé", false),
        ("@a", false), ("[a", false), ("`a", false), ("{a", false),
    ])
    func aLanguageTagHas2To35LettersDigitsAndHyphens(_ tag: String, _ isGood: Bool) {
        #expect(DeviceFieldSyntax.isLanguageTag(tag) == isGood)
    }

    @Test(arguments: [
        ("Europe/Zurich", true), ("Etc/GMT+12", true), ("America/Port-au-Prince", true), ("America/New_York", true),
        ("Z", true), (String(repeating: "a", count: 64), true), ("", false), (String(repeating: "a", count: 65), false),
        ("Europe Zurich", false), ("Europe\\Zurich", false), ("../etc", false), ("Zürich", false),
    ])
    func aTimeZoneHas1To64BytesOfItsAlphabet(_ name: String, _ isGood: Bool) {
        #expect(DeviceFieldSyntax.isTimeZone(name) == isGood)
    }
}
