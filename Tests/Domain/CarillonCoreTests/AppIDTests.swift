import CarillonCore
import Testing

struct AppIDTests {
    @Test(arguments: [
        ("com.example.game", true), ("a", true), ("A-1.b", true), (String(repeating: "a", count: 155), true),
        ("", false), (String(repeating: "a", count: 156), false), ("com.example.game ", false), ("a_b", false),
        ("a/b", false), ("*", false), ("ä", false), ("a\u{0}", false),
    ])
    func `an app id has the form of a bundle id`(_ name: String, _ isGood: Bool) {
        #expect((AppID(name) != nil) == isGood)
        #expect(AppID(name).map(\.description) ?? name == name)
    }
}
