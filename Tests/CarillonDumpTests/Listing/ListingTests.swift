import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import carillon_dump

/// The filters of listings and the form of their rows.
struct ListingTests {
    @Test(arguments: [
        (JSON.text("plain"), "plain"), (.text("a,b"), "\"a,b\""), (.text("say \"hi\""), "\"say \"\"hi\"\"\""),
        (.text("two\nlines"), "\"two\nlines\""), (.number(7), "7"), (.bool(true), "true"),
        (.list([.text("a"), .number(2)]), "a;2"),
        (.object([.init(name: "tier", value: "gold"), .init(name: "x", value: "1,2")]), "\"tier=gold;x=1,2\""),
    ])
    func aFieldOfCSVIsQuotedIfItMustBe(_ value: JSON, _ field: String) {
        #expect(value.csv == field)
    }

    @Test func aRowIsWrittenAsCSVAndAsJSON() {
        let values: [JSON?] = [.number(1), nil, .text("b,c")]
        #expect(RowOutput.line(columns: ["a", "n", "b"], values: values, isCSV: true) == "1,,\"b,c\"\r\n")
        #expect(RowOutput.line(columns: ["a", "n", "b"], values: values, isCSV: false) == "{\"a\":1,\"b\":\"b,c\"}\n")
    }

    private static var device: Device {
        var device = Device(
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
    func aFilterAdmitsTheDevicesThatItDescribes(_ arguments: [String], _ isAdmitted: Bool) throws {
        #expect(try DeviceFilter.parse(arguments).admits(Self.device) == isAdmitted)
    }

    @Test func aTokenIsShownShort() throws {
        let shortened = try SourceOptions.parse(["--data", "/nowhere"])
        let full = try SourceOptions.parse(["--data", "/nowhere", "--full-tokens"])
        #expect(shortened.token(of: Self.device.address) == "01020304…")
        #expect(full.token(of: Self.device.address) == "0102030405")
    }

    @Test(arguments: [
        ["devices", "--data", "/d", "--server", "x:1"], ["devices", "--data", "/d", "--limit", "0"],
        ["devices", "--data", "/d", "--topic", "a", "--group", "b"],
        ["show", "device", "--app", "a.b", "--data", "/d"],
        ["import", "--data", "/d"], ["verify"], ["messages", "--data", "/d", "--state", "done"],
    ])
    func optionsThatContradictEachOtherAreRefused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CarillonDump.parseAsRoot(arguments) }
    }

    @Test func aFindingIsShownAsASentence() {
        let apps = AppNames(names: [1: TestApps.game])
        let id = DeviceID(rawValue: 17)
        #expect(Finding.deviceWithoutAddress(app: 1, id).kind == "deviceWithoutAddress")
        #expect(
            Finding.deviceWithoutAddress(app: 1, id).sentence(apps)
                == "com.example.game, device 17: the token index has no entry for it")
        let address = Self.device.address
        #expect(
            Finding.tombstoneWithoutExpiry(app: 2, address).sentence(apps)
                == "app 2, token 01020304…: its tombstone would never be removed")
    }

    @Test func progressShowsRateAndTimeLeft() {
        var progress = RowProgress("exported", of: 3_000)
        progress.advance(by: 1_500)
        #expect(progress.text(after: 500) == "exported 1,500 of 3,000  3,000/s  500 ms left")
    }
}
