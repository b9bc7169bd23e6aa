import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTestKit
import Testing

/// The requests to FCM for a device, and the reading of its front end's texts.
struct FCMAdapterTests {
    private let adapter = FCMAdapter(project: "game-1")!

    /// Returns the path and the end of the body for a device; nil if the token is refused.
    private func parts(_ kind: TokenKind, _ token: String) -> (path: String, end: String)? {
        var parts = RequestParts()
        guard adapter.write(Delivery.sample(kind: kind, token: Array(token.utf8)), into: &parts) else { return nil }
        #expect(parts.id == nil)
        return (String(decoding: parts.path, as: UTF8.self), String(decoding: parts.bodyEnd, as: UTF8.self))
    }

    @Test func `a token and an installation id are sent under their names`() throws {
        let token = try #require(parts(.fcm, "abc:APA91b-_.%~"))
        #expect(token.path == "/v1/projects/game-1/messages:send")
        #expect(token.end == #""token":"abc:APA91b-_.%~"}}"#)
        #expect(try #require(parts(.fid, "cNabcdefghijklmnopqr-_")).end == #""fid":"cNabcdefghijklmnopqr-_"}}"#)
    }

    @Test(arguments: [
        (TokenKind.fcm, ""), (.fcm, #"a"b"#), (.fcm, "a b"), (.fid, "short"), (.device, "abc"), (.web, "abc"),
    ])
    func `a token that FCM would refuse is not written`(_ kind: TokenKind, _ token: String) {
        #expect(parts(kind, token) == nil)
    }

    @Test func `the longest token fits`() {
        #expect(parts(.fcm, String(repeating: "a", count: DeviceToken.maximumBytes)) != nil)
    }

    @Test func `a project whose path is too long is refused`() {
        #expect(FCMAdapter(project: String(repeating: "a", count: 1_024)) == nil)
    }

    @Test(arguments: [
        ("session_timed_out", "session_timed_out"), ("", nil), ("a\u{0}b\n", "ab"),
        (String(repeating: "x", count: 100), String(repeating: "x", count: 64)),
    ])
    func `the reason of the front end is kept`(_ text: String, _ reason: String?) {
        let (found, refusesCredential) = Array(text.utf8).withUnsafeBytes { adapter.goAway(debugData: $0) }
        #expect(found == reason)
        #expect(!refusesCredential)
    }
}
