import CarillonCore
import Testing

/// The platform of a device, and the time after which it counts as stale.
struct DeviceRecordTests {
    /// Makes a device that was seen a second after the epoch, with the attribute `platform` if it is given.
    private func device(_ kind: TokenKind, platform: String? = nil) throws -> DeviceRecord {
        let token = try #require(DeviceToken(Array("cNabcdefghijklmnopqr-_".utf8)))
        var device = DeviceRecord(
            id: DeviceID(rawValue: 1), address: DeviceAddress(environment: .production, kind: kind, token: token),
            registeredAt: .zero, seenAt: Timestamp(milliseconds: 1_000), state: .active)
        guard let platform else { return device }
        try device.attributes.merge([#require(AttributeChange(key: "platform", value: platform))])
        return device
    }

    @Test(arguments: [(TokenKind.voip, "ios"), (.fid, "android"), (.web, "web")])
    func `a platform follows from the kind of the token`(_ kind: TokenKind, _ platform: String) throws {
        #expect(try device(kind).platform == platform)
    }

    @Test func `an attribute sets another platform`() throws {
        #expect(try device(.device, platform: "macos").platform == "macos")
    }

    @Test func `a device of FCM is stale after 270 days of silence`() throws {
        let silence: UInt64 = 270 * 86_400_000
        #expect(try !device(.fcm).isStale(at: Timestamp(milliseconds: 999 + silence)))
        #expect(try device(.fcm).isStale(at: Timestamp(milliseconds: 1_000 + silence)))
        #expect(try !device(.fcm).isStale(at: .zero), "seen ahead of the clock")
    }

    @Test func `a device of APNs is never stale`() throws {
        #expect(try !device(.device).isStale(at: Timestamp(milliseconds: .max)))
    }
}
