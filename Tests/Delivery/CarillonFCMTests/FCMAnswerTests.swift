import CarillonCore
import CarillonFCM
import CarillonProvider
import Foundation
import Testing

/// The reason and the verdict that are read from the body of FCM's answer. No body traps, and Google's most exact code
/// counts.
struct FCMAnswerTests {
    private func answer(_ status: UInt16, _ body: String) -> ProviderAnswer {
        FCMAnswer.judgeFailure(status: status, body: Array(body.utf8), retryAfterMilliseconds: nil)
    }

    static let bodies = [
        "", "{}", "null", "[]", #"{"error":1}"#, #"{"error":{}}"#, #"{"error":{"status":1}}"#,
        #"{"error":{"status":"NOT_FOUND""#, #"{"error":{"status":"A","status":"B"}}"#, "<html>503</html>",
        "\u{0}\u{1}", String(repeating: "[", count: 5_000), String(repeating: "x", count: 100_000),
    ]

    @Test(arguments: [0, 100, 302, 400, 401, 403, 404, 410, 413, 421, 429, 500, 599, 600, .max] as [UInt16])
    func `a body that is not Google's error has no reason`(_ status: UInt16) {
        let empty = answer(status, "")
        #expect(empty.reason == nil)
        for body in Self.bodies { #expect(answer(status, body) == empty) }
    }

    @Test(arguments: [
        ("{}", "NOT_FOUND"), (#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"WHY"}"#, "WHY"),
        (#"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"CODE"}"#, "CODE"),
        (
            #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a.b"}]}"#,
            "NOT_FOUND a.b"
        ),
        (#"{"@type":"x"},1,null,"y",[]"#, "NOT_FOUND"),
        (
            #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[1,{"field":"a\u0000"}]}"#,
            "NOT_FOUND"
        ),
    ])
    func `the reason is the most exact code`(_ details: String, _ reason: String) {
        let answer = answer(400, #"{"error":{"code":400,"status":"NOT_FOUND","details":[\#(details)]}}"#)
        #expect(answer.reason == reason)
    }

    @Test func `many details are read up to a bound`() {
        let many = String(repeating: #"{"@type":"x"},"#, count: 16)
        let fcm = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}"#
        let read = answer(404, #"{"error":{"status":"NOT_FOUND","details":[\#(fcm)]}}"#)
        let unread = answer(404, #"{"error":{"status":"NOT_FOUND","details":[\#(many)\#(fcm)]}}"#)
        #expect(read.verdict == .refused(.tokenUnregistered, deadSince: nil))
        #expect(unread.verdict == .credentialRefused)
    }

    @Test func `the longest Retry-After does not overflow`() {
        let answer = FCMAnswer.judgeFailure(status: 503, body: [], retryAfterMilliseconds: .max)
        #expect(answer.verdict == .tryLater(.serverBusy, afterMilliseconds: .max))
    }
}
