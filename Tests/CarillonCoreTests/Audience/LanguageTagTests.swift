import CarillonCore
import Testing

/// Matching of language tags (RFC 4647).
struct LanguageTagTests {
    static let lookups: [(String?, [String], String?)] = [
        // The fallback of §3.4: one more subtag away in each row.
        ("zh-Hant-CN-x-private1-private2", ["zh-Hant-CN-x-private1-private2", "zh"], "zh-Hant-CN-x-private1-private2"),
        ("zh-Hant-CN-x-private1-private2", ["zh-Hant-CN-x-private1", "zh"], "zh-Hant-CN-x-private1"),
        ("zh-Hant-CN-x-private1-private2", ["zh-Hant-CN-x", "zh-Hant-CN"], "zh-Hant-CN"),
        ("zh-Hant-CN-x-private1-private2", ["zh-Hant", "zh"], "zh-Hant"),
        ("zh-Hant-CN-x-private1-private2", ["zh", "en"], "zh"),
        ("zh-Hant-CN-x-private1-private2", ["en"], nil),
        ("de-a-x-b-c", ["de-a-x", "de-a", "de"], "de"),
        ("zh-Hant-TW", ["zh-TW", "en"], nil), ("zh-Hant-TW", ["en", "zh", "zh-Hant"], "zh-Hant"),
        ("ZH-hant-tw", ["zh-Hant-TW"], "zh-Hant-TW"), ("zh", ["zh-Hant"], nil), ("zh", ["z", "zhx", "ZH"], "ZH"),
        ("en-GB", ["en", "EN"], "en"), ("x-foo", ["x", "foo"], nil), ("i-klingon", ["i"], nil),
        (nil, ["en"], nil), ("en", [], nil), ("", ["", "en"], nil), ("-", ["", "-x"], nil), ("en-", ["en"], "en"),
        ("--", ["-a"], nil), ("en-@", ["EN-`"], nil),
    ]

    @Test(arguments: lookups)
    func theNearestLanguageIsChosen(_ tag: String?, _ candidates: [String], _ expected: String?) {
        #expect(LanguageTag.lookup(tag, among: candidates).map { candidates[$0] } == expected)
    }

    @Test func ofEqualCandidatesTheFirstIsTaken() {
        #expect(LanguageTag.lookup("en", among: ["fr", "EN", "en"]) == 1)
    }

    @Test(arguments: [
        ("zh-Hant-TW", ["zh-hant-tw", "zh-hant", "zh"]), ("en", ["en"]), ("EN-x-A", ["en-x-a", "en-x", "en"]),
        ("", []), ("-a", ["-a"]), ("a-", ["a-", "a"]),
    ])
    func aTagIsShortenedFromItsEnd(_ tag: String, _ expected: [String]) {
        #expect(LanguageTag.ranges(of: tag) == expected)
    }
}
