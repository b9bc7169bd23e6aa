import CarillonCore
import Testing

@testable import CarillonServer

/// What delivery has read of a device must not be used after a registration that may change its audiences.
struct RegistrationResultTests {
    private func registration(_ change: (inout Registration) -> Void) throws -> Registration {
        let token = try #require(DeviceToken([UInt8](repeating: 1, count: 32)))
        let app = try #require(AppID("com.example.game"))
        var registration = Registration(
            app: app, address: DeviceAddress(environment: .production, kind: .device, token: token))
        change(&registration)
        return registration
    }

    @Test func aRegistrationOfTheTokenAloneChangesNoAudience() throws {
        #expect(try !registration { _ in }.changesAudiences)
    }

    /// Each of these can take the device out of a condition with `!`.
    @Test(arguments: ["locale", "attributes", "groups", "topics"])
    func aFieldThatConditionsReadDoes(field: String) throws {
        let changed = try registration { registration in
            switch field {
            case "locale": registration.locale = "de"
            case "attributes": registration.attributes = [.init(key: "level", value: "5")].compactMap { $0 }
            case "groups": registration.groups = [GroupName("guild/1")].compactMap { $0 }
            default: registration.topics = [TopicName("news")].compactMap { $0 }
            }
        }
        #expect(changed.changesAudiences)
        #expect(RegistrationResult.refreshed.changesDeliveries(changesAudiences: changed.changesAudiences))
    }
}
