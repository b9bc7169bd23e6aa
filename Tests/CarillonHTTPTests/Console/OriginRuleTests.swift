import Testing

@testable import CarillonHTTP

struct OriginRuleTests {
    private let rule = OriginRule(names: ["localhost", "127.0.0.1", "[::1]", "push.internal"])

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST:7476", true), ("127.0.0.1:1", true), ("[::1]:7476", true),
        ("push.internal", true),
        ("evil.example", false), ("localhost.evil.example", false), ("push.internal@evil.example", false), ("", false),
        ("[::1", false), ("::1", false), ("push.internal.", false),
    ])
    func onlyTheNamesOfTheConsoleAreServed(_ host: String, _ isServed: Bool) {
        let refusal = rule.refusal(host: host, site: nil, origin: nil, isChange: false)
        #expect(refusal == (isServed ? nil : .otherHost))
    }

    @Test func withoutAHostNothingIsServed() {
        #expect(rule.refusal(host: nil, site: "same-origin", origin: nil, isChange: false) == .otherHost)
    }

    @Test(
        arguments: [
            ("same-origin", nil, nil), ("same-origin", "http://localhost:7476", nil),
            (nil, "http://localhost:7476", nil),
            (nil, "https://localhost:7476", nil), (nil, nil, .otherSite), ("cross-site", nil, .otherSite),
            ("same-site", nil, .otherSite), ("none", nil, .otherSite), ("same-origin", "null", .otherSite),
            ("same-origin", "http://localhost:7477", .otherSite), (nil, "http://localhost", .otherSite),
            ("cross-site", "http://localhost:7476", .otherSite),
        ] as [(String?, String?, OriginRule.OriginRefusal?)])
    func aRequestMustComeFromAPageOfTheConsole(_ site: String?, _ given: String?, _ expected: OriginRule.OriginRefusal?)
    {
        #expect(rule.refusal(host: "localhost:7476", site: site, origin: given, isChange: true) == expected)
    }
}
