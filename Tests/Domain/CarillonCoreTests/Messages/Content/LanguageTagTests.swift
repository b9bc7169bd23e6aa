import CarillonCore
import Testing

/// The language of a message that a device gets, by the lookup of RFC 4647.
struct LanguageTagTests {
    /// A tag, the languages to choose from, and the language that is chosen.
    struct Lookup: CustomTestStringConvertible {
        var tag: String?
        let candidates: [String]
        var found: String?

        var testDescription: String { "\(tag ?? "no tag") among \(candidates)" }
    }

    static let lookups = [
        // The fallback of §3.4: one more subtag away in each row.
        Lookup(
            tag: "zh-Hant-CN-x-private1-private2", candidates: ["zh-Hant-CN-x-private1-private2", "zh"],
            found: "zh-Hant-CN-x-private1-private2"),
        Lookup(
            tag: "zh-Hant-CN-x-private1-private2", candidates: ["zh-Hant-CN-x-private1", "zh"],
            found: "zh-Hant-CN-x-private1"),
        Lookup(tag: "zh-Hant-CN-x-private1-private2", candidates: ["zh-Hant-CN-x", "zh-Hant-CN"], found: "zh-Hant-CN"),
        Lookup(tag: "zh-Hant-CN-x-private1-private2", candidates: ["zh-Hant", "zh"], found: "zh-Hant"),
        Lookup(tag: "zh-Hant-CN-x-private1-private2", candidates: ["zh", "en"], found: "zh"),
        Lookup(tag: "zh-Hant-CN-x-private1-private2", candidates: ["en"]),
        Lookup(tag: "de-a-x-b-c", candidates: ["de-a-x", "de-a", "de"], found: "de"),
        Lookup(tag: "zh-Hant-TW", candidates: ["zh-TW", "en"]),
        Lookup(tag: "zh-Hant-TW", candidates: ["en", "zh", "zh-Hant"], found: "zh-Hant"),
        Lookup(tag: "ZH-hant-tw", candidates: ["zh-Hant-TW"], found: "zh-Hant-TW"),
        Lookup(tag: "zh", candidates: ["zh-Hant"]),
        Lookup(tag: "zh", candidates: ["z", "zhx", "ZH"], found: "ZH"),
        Lookup(tag: "en-GB", candidates: ["en", "EN"], found: "en"),
        Lookup(tag: "x-foo", candidates: ["x", "foo"]),
        Lookup(tag: "i-klingon", candidates: ["i"]),
        Lookup(candidates: ["en"]),
        Lookup(tag: "en", candidates: []),
        Lookup(tag: "", candidates: ["", "en"]),
        Lookup(tag: "-", candidates: ["", "-x"]),
        Lookup(tag: "en-", candidates: ["en"], found: "en"),
        Lookup(tag: "--", candidates: ["-a"]),
        Lookup(tag: "en-@", candidates: ["EN-`"]),
    ]

    @Test(arguments: lookups)
    func `the nearest language is chosen`(_ lookup: Lookup) {
        let found = LanguageTag.lookup(lookup.tag, among: lookup.candidates)
        #expect(found.map { lookup.candidates[$0] } == lookup.found)
    }

    @Test func `the first of equal candidates is chosen`() {
        #expect(LanguageTag.lookup("en", among: ["fr", "EN", "en"]) == 1)
    }

    @Test(arguments: [
        ("zh-Hant-TW", ["zh-hant-tw", "zh-hant", "zh"]), ("en", ["en"]), ("EN-x-A", ["en-x-a", "en-x", "en"]),
        ("", []), ("-a", ["-a"]), ("a-", ["a-", "a"]),
    ])
    func `a tag is shortened from its end`(_ tag: String, _ expected: [String]) {
        #expect(LanguageTag.ranges(of: tag) == expected)
    }
}
