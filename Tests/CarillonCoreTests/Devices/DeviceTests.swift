import CarillonCore
import Testing

/// The platform of a device, and the time after which it counts as stale.
struct DeviceTests {
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
}
