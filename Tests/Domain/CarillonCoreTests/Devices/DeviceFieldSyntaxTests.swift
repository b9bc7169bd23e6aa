import CarillonCore
import Testing

struct DeviceFieldSyntaxTests {
    @Test(arguments: [
        ("de", true), ("zh-Hant-TW", true), (String(repeating: "a", count: 35), true), ("x1", true), ("d", false),
        ("", false), (String(repeating: "a", count: 36), false), ("de_DE", false), ("de DE", false), ("dé", false),
        ("@a", false), ("[a", false), ("`a", false), ("{a", false),
    ])
    func `a language tag has 2 to 35 letters, digits and hyphens`(_ tag: String, _ isGood: Bool) {
        #expect(DeviceFieldSyntax.isLanguageTag(tag) == isGood)
    }

    @Test(arguments: [
        ("Europe/Zurich", true), ("Etc/GMT+12", true), ("America/Port-au-Prince", true), ("America/New_York", true),
        ("Z", true), (String(repeating: "a", count: 64), true), ("", false), (String(repeating: "a", count: 65), false),
        ("Europe Zurich", false), ("Europe\\Zurich", false), ("../etc", false), ("Zürich", false),
    ])
    func `a time zone has 1 to 64 bytes of its alphabet`(_ name: String, _ isGood: Bool) {
        #expect(DeviceFieldSyntax.isTimeZone(name) == isGood)
    }
}
