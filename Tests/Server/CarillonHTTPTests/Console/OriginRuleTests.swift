import Testing

@testable import CarillonHTTP

/// The hosts and the origins from which the console is used; all other requests are refused.
struct OriginRuleTests {
    private let rule = OriginRule(names: ["localhost", "127.0.0.1", "[::1]", "push.internal"])

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST:7476", true), ("127.0.0.1:1", true), ("[::1]:7476", true),
        ("push.internal", true),
        ("evil.example", false), ("localhost.evil.example", false), ("push.internal@evil.example", false), ("", false),
        ("[::1", false), ("::1", false), ("push.internal.", false),
    ])
    func `only the names of the console are served`(_ host: String, _ isServed: Bool) {
        let refusal = rule.refusal(host: host, site: nil, origin: nil, isChange: false)
        #expect(refusal == (isServed ? nil : .otherHost))
    }

    @Test func `a request without a host is refused`() {
        #expect(rule.refusal(host: nil, site: "same-origin", origin: nil, isChange: false) == .otherHost)
    }

    /// The headers `sec-fetch-site` and `origin` of a change, and its refusal.
    struct Change: CustomTestStringConvertible {
        var site: String?
        var origin: String?
        var refusal: OriginRule.Refusal?

        var testDescription: String { "\(site ?? "no site") from \(origin ?? "no origin")" }
    }

    @Test(
        arguments: [
            Change(site: "same-origin"),
            Change(site: "same-origin", origin: "http://localhost:7476"),
            Change(origin: "http://localhost:7476"),
            Change(origin: "https://localhost:7476"),
            Change(refusal: .otherSite),
            Change(site: "cross-site", refusal: .otherSite),
            Change(site: "same-site", refusal: .otherSite),
            Change(site: "none", refusal: .otherSite),
            Change(site: "same-origin", origin: "null", refusal: .otherSite),
            Change(site: "same-origin", origin: "http://localhost:7477", refusal: .otherSite),
            Change(origin: "http://localhost", refusal: .otherSite),
            Change(site: "cross-site", origin: "http://localhost:7476", refusal: .otherSite),
        ])
    func `a request must come from a page of the console`(_ change: Change) {
        let refusal = rule.refusal(
            host: "localhost:7476", site: change.site, origin: change.origin, isChange: true)
        #expect(refusal == change.refusal)
    }
}
