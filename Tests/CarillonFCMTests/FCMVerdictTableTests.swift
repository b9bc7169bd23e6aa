import CarillonCore
import CarillonFCM
import CarillonProvider
import Foundation
import Testing

/// The table of the page Verdicts, row by row.
@Suite struct FCMVerdictTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: UInt16
        var error: String
        var verdict: String
        var consequence: String

        var testDescription: String { "\(status), \(error)" }
    }

    private static let adapter = FCMAdapter(project: "game")!

    /// The rows of the page, or none if it cannot be read; `theTableIsRead` then fails.
    static let rows: [Row] = {
        let page = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/CarillonFCM/CarillonFCM.docc/Verdicts.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { !$0.hasPrefix("| Status | Error |") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, let status = UInt16(cells[0]) else { return nil }
            return Row(status: status, error: cells[1], verdict: cells[2], consequence: cells[3])
        }
    }()

    @Test func theTableIsRead() {
        #expect(Self.rows.count > 50)
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count, "each row is there once")
    }

    @Test(arguments: rows) func eachRowIsTrue(_ row: Row) {
        let parts = row.error.components(separatedBy: ", ")
        let retryAfter = parts.compactMap { number(in: $0, after: "retry-after ") }.first.map { $0 * 1_000 }
        let answer = Array(body(parts, status: row.status).utf8).withUnsafeBytes {
            Self.adapter.answer(status: row.status, body: $0, retryAfter: retryAfter, at: .zero)
        }
        #expect(answer.status == row.status)
        #expect(words(answer.verdict) == row.verdict)
        #expect(words(answer.consequence) == row.consequence)
    }

    // MARK: The words of the table

    private func number(in text: String, after prefix: String) -> UInt64? {
        text.hasPrefix(prefix) ? UInt64(text.dropFirst(prefix.count)) : nil
    }

    private func body(_ parts: [String], status: UInt16) -> String {
        if parts[0] == "empty" { return "" }
        if parts[0] == "HTML" { return "<!DOCTYPE html><title>Error</title>" }
        let message =
            parts.contains("token text")
            ? "The registration token is not a valid FCM registration token" : "Something is wrong."
        let details = parts.compactMap { part -> String? in
            let words = part.split(separator: " ").map { $0.trimmingCharacters(in: ["`"]) }
            let values = words.dropFirst()
            let rpc = "type.googleapis.com/google.rpc."
            let fcm = "type.googleapis.com/google.firebase.fcm.v1."
            switch words[0] {
            case "FcmError": return #"{"@type":"\#(fcm)FcmError","errorCode":"\#(values.joined())"}"#
            case "ApnsError": return #"{"@type":"\#(fcm)ApnsError","statusCode":\#(values.joined())}"#
            case "ErrorInfo": return #"{"@type":"\#(rpc)ErrorInfo","reason":"\#(values.joined())"}"#
            case "RetryInfo": return #"{"@type":"\#(rpc)RetryInfo","retryDelay":"\#(values.joined())s"}"#
            case "BadRequest":
                let violations = values.map { #"{"field":"\#($0)","description":"d"}"# }.joined(separator: ",")
                return #"{"@type":"\#(rpc)BadRequest""#
                    + (values.isEmpty ? "}" : #","fieldViolations":[\#(violations)]}"#)
            default: return nil
            }
        }
        let status = #""code":\#(status),"message":"\#(message)","status":"\#(parts[0].dropFirst().dropLast())""#
        return #"{"error":{\#(status),"details":[\#(details.joined(separator: ","))]}}"#
    }

    private func words(_ verdict: Verdict) -> String {
        switch verdict {
        case .delivered: "delivered"
        case .notProcessed: "not processed"
        case .unknown: "unknown"
        case .credentialRefused: "credential refused"
        case .tryLater(let kind, let wait):
            (kind == .serverBusy ? "busy" : "throttled") + (wait.map { ", after \($0 / 1_000) s" } ?? "")
        case .refused(let outcome, nil): "refused: \(outcome)"
        case .refused: "dead, since a time that FCM does not name"
        }
    }

    private func words(_ consequence: Answer.Consequence) -> String {
        switch consequence {
        case .none: "none"
        case .serverError: "server error"
        case .replaceConnection: "replace connection"
        case .replaceToken: "replace token"
        case .renewToken, .renewTopics: "only of APNs"
        case .refuseCredential: "refuse credential"
        case .slowDown(let wait): "slow down" + (wait.map { ", after \($0 / 1_000) s" } ?? "")
        }
    }
}

/// How answers are read.
@Suite struct FCMAnswerTests {
    private func answer(_ status: UInt16, _ body: String) -> Answer {
        FCMAnswer.refusal(status: status, body: Array(body.utf8), retryAfter: nil)
    }

    static let bodies = [
        "", "{}", "null", "[]", #"{"error":1}"#, #"{"error":{}}"#, #"{"error":{"status":1}}"#,
        #"{"error":{"status":"NOT_FOUND""#, #"{"error":{"status":"A","status":"B"}}"#, "<html>503</html>",
        "\u{0}\u{1}", String(repeating: "[", count: 5_000), String(repeating: "x", count: 100_000),
    ]

    @Test(arguments: [0, 100, 302, 400, 401, 403, 404, 410, 413, 421, 429, 500, 599, 600, .max] as [UInt16])
    func aBodyThatIsNotGooglesErrorIsAsGoodAsNone(_ status: UInt16) {
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
    func theReasonIsTheMostExactCode(_ details: String, _ reason: String) {
        let answer = answer(400, #"{"error":{"code":400,"status":"NOT_FOUND","details":[\#(details)]}}"#)
        #expect(answer.reason == reason)
    }

    @Test func manyDetailsAreReadUpToABound() {
        let many = String(repeating: #"{"@type":"x"},"#, count: 16)
        let fcm = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}"#
        let read = answer(404, #"{"error":{"status":"NOT_FOUND","details":[\#(fcm)]}}"#)
        let unread = answer(404, #"{"error":{"status":"NOT_FOUND","details":[\#(many)\#(fcm)]}}"#)
        #expect(read.verdict == .refused(.tokenUnregistered, deadSince: nil))
        #expect(unread.verdict == .credentialRefused)
    }

    @Test func theLongestRetryAfterDoesNotOverflow() {
        let answer = FCMAnswer.refusal(status: 503, body: [], retryAfter: .max)
        #expect(answer.verdict == .tryLater(.serverBusy, afterMilliseconds: .max))
    }
}
