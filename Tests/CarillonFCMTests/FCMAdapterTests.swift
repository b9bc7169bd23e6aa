import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTestKit
import Testing

/// The requests to FCM for a device, and the reading of its front end's texts.
struct FCMAdapterTests {
    private let adapter = FCMAdapter(project: "game-1")!

    private func delivery(_ kind: TokenKind, _ token: String) -> Delivery {
        var builder = RecipientPage.Builder()
        let device = DeviceID(rawValue: 7)
        builder.append(
            RecipientPage.Recipient(position: 0, device: device, kind: kind, environment: .production),
            token: Array(token.utf8))
        let content = MessageContent(app: TestApps.game, pushType: .alert, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 1), content: content, sendableSince: .zero, notAfter: nil, lane: .bulk)
        return Delivery(
            message: OutboundMessage.Shared(outbound), page: builder.page(0, of: outbound.id), index: 0, device: device,
            handedOutAt: 0)
    }

    /// Returns the path and the end of the body for a device; nil if the token is refused.
    private func parts(_ kind: TokenKind, _ token: String) -> (path: String, end: String)? {
        var parts = RequestParts()
        guard adapter.write(delivery(kind, token), into: &parts) else { return nil }
        #expect(parts.id == nil)
        return (String(decoding: parts.path, as: UTF8.self), String(decoding: parts.bodyEnd, as: UTF8.self))
    }

    @Test func aTokenAndAnInstallationIDAreSentUnderTheirNames() throws {
        let token = try #require(parts(.fcm, "abc:APA91b-_.%~"))
        #expect(token.path == "/v1/projects/game-1/messages:send")
        #expect(token.end == #""token":"abc:APA91b-_.%~"}}"#)
        #expect(try #require(parts(.fid, "cNabcdefghijklmnopqr-_")).end == #""fid":"cNabcdefghijklmnopqr-_"}}"#)
    }

    @Test(arguments: [
        (TokenKind.fcm, ""), (.fcm, #"a"b"#), (.fcm, "a b"), (.fid, "short"), (.device, "abc"), (.web, "abc"),
    ])
    func aTokenThatFCMWouldRefuseIsNotWritten(_ kind: TokenKind, _ token: String) {
        #expect(parts(kind, token) == nil)
    }

    @Test func theLongestTokenFits() {
        #expect(parts(.fcm, String(repeating: "a", count: DeviceToken.maximumBytes)) != nil)
    }

    @Test func aProjectWhosePathIsTooLongIsRefused() {
        #expect(FCMAdapter(project: String(repeating: "a", count: 1_024)) == nil)
    }

    @Test(arguments: [
        ("session_timed_out", "session_timed_out"), ("", nil), ("a\u{0}b\n", "ab"),
        (String(repeating: "x", count: 100), String(repeating: "x", count: 64)),
    ])
    func theReasonOfTheFrontEndIsKept(_ text: String, _ reason: String?) {
        let (found, refusesCredential) = Array(text.utf8).withUnsafeBytes { adapter.goAway(debugData: $0) }
        #expect(found == reason)
        #expect(!refusesCredential)
    }
}
