import Testing

@testable import carillond

struct KeyRequestTests {
    @Test func `a key is for one app and one role unless more is asked`() throws {
        let request = try KeyRequest(name: "a\"b", apps: [], roles: [], file: nil)
        #expect(request.hasPlaceholder)
        #expect(
            try request.entry(sha256: "00") == #"{"name": "a\"b", "keySHA256": ["00"], "#
                + #""grants": [{"app": "com.example.game", "roles": ["send"]}]}"#)
        let more = try KeyRequest(name: "b", apps: ["com.example.shop", "*"], roles: ["send", "admin"], file: nil)
        #expect(!more.hasPlaceholder)
        #expect(
            try more.entry(sha256: "00") == #"{"name": "b", "keySHA256": ["00"], "#
                + #""grants": [{"app": "com.example.shop", "roles": ["send", "admin"]}, "#
                + #"{"app": "*", "roles": ["send", "admin"]}]}"#)
    }
}
