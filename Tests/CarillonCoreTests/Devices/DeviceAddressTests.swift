import CarillonCore
import Testing

/// Addresses: token, kind and environment together.
struct DeviceAddressTests {
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
}
