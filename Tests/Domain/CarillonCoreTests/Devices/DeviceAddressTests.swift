import CarillonCore
import Testing

struct DeviceAddressTests {
    /// Returns a token that every kind takes, or that the kind of installation ids takes.
    private func token(of kind: TokenKind) throws -> DeviceToken {
        try #require(
            DeviceToken(kind == .fid ? Array("cNabcdefghijklmnopqr-_".utf8) : Array(repeating: 0x61, count: 32)))
    }

    @Test(arguments: TokenKind.allCases, APNsEnvironment.allCases)
    func `only APNs has a sandbox`(_ kind: TokenKind, _ environment: APNsEnvironment) throws {
        let address = DeviceAddress(environment: environment, kind: kind, token: try token(of: kind))
        let isAllowed = environment == .production || kind.provider == .apns
        #expect(address.fault == (isAllowed ? nil : .environment))
        #expect(kind.environments.contains(environment) == isAllowed)
    }

    @Test func `a token that is none of its kind is a fault`() throws {
        let short = try #require(DeviceToken([0x61]))
        #expect(DeviceAddress(environment: .production, kind: .web, token: short).fault == .token)
    }

    @Test(arguments: [("cNab:APA91b", "cNab…"), ("cNab:AP", "cNa…"), ("c", "…")])
    func `a token of FCM is shown as text and shortened`(_ text: String, _ shortened: String) throws {
        let token = try #require(DeviceToken(text, of: .fcm))
        let address = DeviceAddress(environment: .production, kind: .fcm, token: token)
        #expect(address.tokenText == text)
        #expect(address.shortenedToken == shortened)
    }
}
