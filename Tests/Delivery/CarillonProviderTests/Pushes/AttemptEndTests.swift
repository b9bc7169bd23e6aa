import CarillonAPNs
import CarillonCore
import CarillonProvider
import Testing

/// The ends of attempts, as the delivery engine and TRACE get them. AnswerJudgeTableTests has the table of all of them.
struct AttemptEndTests {
    /// An end of an attempt without an answer, and how it is read.
    struct Unanswered: CustomTestStringConvertible {
        let end: AttemptEnd
        let verdict: Verdict
        let reason: String
        var wasSent = true

        var testDescription: String { reason }
    }

    @Test(
        arguments: [
            Unanswered(end: .reset(7), verdict: .notProcessed, reason: "refused-stream"),
            Unanswered(end: .reset(2), verdict: .unknown, reason: "stream-reset-2"),
            Unanswered(end: .timeout, verdict: .unknown, reason: "timeout"),
            Unanswered(end: .malformed, verdict: .unknown, reason: "answer-malformed"),
            Unanswered(end: .connectionClosed, verdict: .unknown, reason: "connection-closed"),
            Unanswered(end: .notSent, verdict: .notProcessed, reason: "not-sent", wasSent: false),
            Unanswered(
                end: .invalidRequest, verdict: .refused(.badRequest, deadSince: nil), reason: "invalid-request",
                wasSent: false),
            Unanswered(end: .tokenNotSigned, verdict: .credentialRefused, reason: "token-not-signed", wasSent: false),
        ])
    func `an end without an answer has no status`(_ attempt: Unanswered) {
        #expect(attempt.end.verdict == attempt.verdict)
        #expect(attempt.end.status == 0)
        #expect(attempt.end.reason == attempt.reason)
        #expect(attempt.end.wasSent == attempt.wasSent)
    }

    private func end(_ stream: ClosedStream, _ body: String = "") -> AttemptEnd {
        Array(body.utf8).withUnsafeBytes { AttemptEnd(stream, body: $0, of: APNsAdapter(epoch: .zero), at: .zero) }
    }

    @Test func `an answer has its status and reason`() {
        let end = end(ClosedStream(status: 400, isComplete: true), #"{"reason":"BadTopic"}"#)
        #expect(end.verdict == .refused(.badTopic, deadSince: nil))
        #expect(end.status == 400)
        #expect(end.reason == "BadTopic")
        #expect(end.wasSent)
        #expect(self.end(ClosedStream(status: 400, isComplete: true)).reason == nil)
    }

    @Test func `an answer that is cut off has its status but no reason`() {
        let end = end(ClosedStream(status: 410, errorCode: 8), #"{"reason":"Unregistered"}"#)
        #expect(end == .cutOff(410))
        #expect(end.verdict == .unknown)
        #expect(end.status == 410)
        #expect(end.reason == "answer-cut-off")
        #expect(end.wasSent)
    }

    @Test func `a stream without a status ends by its reset`() {
        #expect(end(ClosedStream(wasSent: false, errorCode: 7)) == .notSent)
        #expect(end(ClosedStream(errorCode: 7)) == .reset(7))
        #expect(end(ClosedStream(wasOverdue: true, errorCode: 7)) == .reset(7))
        #expect(end(ClosedStream(wasOverdue: true, errorCode: 8)) == .timeout)
        #expect(end(ClosedStream(errorCode: 8)) == .reset(8))
    }

    /// A stream when its connection ends, and the end of its attempt.
    struct CutStream: CustomTestStringConvertible {
        /// 0 if no status has come.
        let status: UInt16
        var wasSent = true
        let end: AttemptEnd

        var testDescription: String { "\(end)" }
    }

    @Test(
        arguments: [
            CutStream(status: 0, end: .connectionClosed),
            CutStream(status: 0, wasSent: false, end: .notSent),
            CutStream(status: 400, end: .cutOff(400)),
            CutStream(status: 500, end: .cutOff(500)),
        ])
    func `the end of the connection cuts answers off`(_ stream: CutStream) {
        #expect(AttemptEnd(atEndOfConnection: stream.status, wasSent: stream.wasSent) == stream.end)
        #expect(AttemptEnd(atEndOfConnection: 200, wasSent: true).verdict == .delivered)
    }

    @Test(arguments: [64, 65, 128]) func `a long reason is cut at 64 bytes`(_ length: Int) {
        let whole = ClosedStream(status: 400, isComplete: true)
        let reason = end(whole, "{\"reason\":\"\(String(repeating: "x", count: length))\"}").reason
        #expect(reason == String(repeating: "x", count: 64))
        // A character of two bytes is not split.
        let accented = end(whole, "{\"reason\":\"x\(String(repeating: "é", count: 32))\"}").reason
        #expect(accented == "x" + String(repeating: "é", count: 31))
    }
}
