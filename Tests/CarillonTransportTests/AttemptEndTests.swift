import CarillonAPNs
import CarillonCore
import CarillonHTTP2
import Testing

@testable import CarillonTransport

/// The ends of attempts, as the delivery engine and TRACE get them.
@Suite struct AttemptEndTests {
    @Test(
        arguments: [
            (.reset(.refusedStream), .notProcessed, "refused-stream", true),
            (.reset(.internalError), .unknown, "stream-reset-2", true), (.timeout, .unknown, "timeout", true),
            (.connectionClosed, .unknown, "connection-closed", true), (.notSent, .notProcessed, "not-sent", false),
            (.invalidRequest, .refused(.badRequest, deadSince: nil), "invalid-request", false),
            (.tokenNotSigned, .credentialRefused, "token-not-signed", false),
        ] as [(AttemptEnd, Verdict, String, Bool)])
    func anEndWithoutAnAnswer(_ end: AttemptEnd, verdict: Verdict, reason: String, wasSent: Bool) {
        #expect(end.verdict == verdict)
        #expect(end.status == 0)
        #expect(end.reason == reason)
        #expect(end.wasSent == wasSent)
    }

    private func answer(_ status: UInt16, _ body: String) -> AttemptEnd {
        Array(body.utf8).withUnsafeBytes { body in
            .answered(Answer(status: status, body: body, retryAfter: nil, now: .zero))
        }
    }

    @Test func anAnswerHasItsStatusAndReason() {
        let end = answer(400, #"{"reason":"BadTopic"}"#)
        #expect(end.verdict == .refused(.badTopic, deadSince: nil))
        #expect(end.status == 400)
        #expect(end.reason == "BadTopic")
        #expect(end.wasSent)
        #expect(answer(400, "").reason == nil)
    }

    @Test(arguments: [64, 65, 128]) func aLongReasonIsCutAt64Bytes(_ length: Int) {
        let reason = answer(400, "{\"reason\":\"\(String(repeating: "x", count: length))\"}").reason
        #expect(reason == String(repeating: "x", count: 64))
        // A character of two bytes is not split.
        let accented = answer(400, "{\"reason\":\"x\(String(repeating: "é", count: 32))\"}").reason
        #expect(accented == "x" + String(repeating: "é", count: 31))
    }
}
