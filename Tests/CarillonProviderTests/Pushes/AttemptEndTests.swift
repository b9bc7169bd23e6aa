import CarillonAPNs
import CarillonCore
import CarillonProvider
import Testing

/// The ends of attempts, as the delivery engine and TRACE get them. VerdictTableTests has the table of all of them.
struct AttemptEndTests {
    @Test(
        arguments: [
            (.reset(7), .notProcessed, "refused-stream", true), (.reset(2), .unknown, "stream-reset-2", true),
            (.timeout, .unknown, "timeout", true), (.malformed, .unknown, "answer-malformed", true),
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

    private func end(_ stream: ClosedStream, _ body: String = "") -> AttemptEnd {
        Array(body.utf8).withUnsafeBytes { AttemptEnd(stream, body: $0, of: APNsAdapter(epoch: .zero), at: .zero) }
    }

    @Test func anAnswerHasItsStatusAndReason() {
        let end = end(ClosedStream(status: 400, isComplete: true), #"{"reason":"BadTopic"}"#)
        #expect(end.verdict == .refused(.badTopic, deadSince: nil))
        #expect(end.status == 400)
        #expect(end.reason == "BadTopic")
        #expect(end.wasSent)
        #expect(self.end(ClosedStream(status: 400, isComplete: true)).reason == nil)
    }

    @Test func anAnswerThatIsCutOffHasItsStatusButNoReason() {
        let end = end(ClosedStream(status: 410, errorCode: 8), #"{"reason":"Unregistered"}"#)
        #expect(end == .cutOff(410))
        #expect(end.verdict == .unknown)
        #expect(end.status == 410)
        #expect(end.reason == "answer-cut-off")
        #expect(end.wasSent)
    }

    @Test func aStreamWithoutAStatusEndsByItsReset() {
        #expect(end(ClosedStream(wasSent: false, errorCode: 7)) == .notSent)
        #expect(end(ClosedStream(errorCode: 7)) == .reset(7))
        #expect(end(ClosedStream(wasOverdue: true, errorCode: 7)) == .reset(7))
        #expect(end(ClosedStream(wasOverdue: true, errorCode: 8)) == .timeout)
        #expect(end(ClosedStream(errorCode: 8)) == .reset(8))
    }

    @Test(
        arguments: [
            (0, true, .connectionClosed), (0, false, .notSent), (400, true, .cutOff(400)), (500, true, .cutOff(500)),
        ] as [(UInt16, Bool, AttemptEnd)])
    func theEndOfTheConnectionCutsAnswersOff(_ status: UInt16, _ wasSent: Bool, _ end: AttemptEnd) {
        #expect(AttemptEnd(atEndOfConnection: status, wasSent: wasSent) == end)
        #expect(AttemptEnd(atEndOfConnection: 200, wasSent: true).verdict == .delivered)
    }

    @Test(arguments: [64, 65, 128]) func aLongReasonIsCutAt64Bytes(_ length: Int) {
        let whole = ClosedStream(status: 400, isComplete: true)
        let reason = end(whole, "{\"reason\":\"\(String(repeating: "x", count: length))\"}").reason
        #expect(reason == String(repeating: "x", count: 64))
        // A character of two bytes is not split.
        let accented = end(whole, "{\"reason\":\"x\(String(repeating: "é", count: 32))\"}").reason
        #expect(accented == "x" + String(repeating: "é", count: 31))
    }
}
