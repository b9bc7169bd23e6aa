import ArgumentParser
import CarillonCore
import Testing

@testable import carillon_dump

/// The devices that the options of a listing admit.
struct DeviceFilterTests {
    private static var device: DeviceRecord {
        var device = DeviceRecord(
            id: DeviceID(rawValue: 7),
            address: DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken([1, 2, 3, 4, 5])!),
            registeredAt: Timestamp(milliseconds: 20), seenAt: Timestamp(milliseconds: 10), state: .active,
            locale: "zh-Hant-TW")
        // Attributes that are not there fail the tests of filters.
        try? device.attributes.merge([AttributeChange(key: "platform", value: "ios")!])
        return device
    }

    @Test(arguments: [
        ([], true), (["--environment", "sandbox"], true), (["--environment", "production"], false),
        (["--kind", "voip"], false), (["--state", "active"], true), (["--state", "quarantined"], false),
        (["--locale", "zh"], true), (["--locale", "zh-hant"], true), (["--locale", "zh-Hans"], false),
        (["--locale", "z"], false), (["--platform", "ios"], true), (["--platform", "android"], false),
        (["--attribute", "platform=ios"], true), (["--attribute", "tier=gold"], false), (["--muted"], false),
        (["--seen-before", "11"], true), (["--seen-before", "10"], false), (["--seen-after", "10"], true),
        (["--seen-after", "11"], false), (["--stale"], false),
        (["--platform", "ios", "--state", "quarantined"], false),
    ])
    func `a filter admits the devices that it describes`(_ arguments: [String], _ isAdmitted: Bool) throws {
        #expect(try DeviceFilter.parse(arguments).admits(Self.device) == isAdmitted)
    }
}
