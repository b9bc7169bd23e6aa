import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTestKit
import Foundation
import Testing

/// The table of `CarillonFCM.docc/Verdicts.md`, row by row.
struct FCMAnswerTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: UInt16
        var error: String
        var verdict: String
        var consequence: String

        var testDescription: String { "\(status), \(error)" }
    }

    private static let adapter = FCMAdapter(project: "game")!

    /// The rows of the page; empty if it cannot be read, and the test "the table of the page has rows" then fails.
    static let rows: [Row] = {
        PageTable.rows(
            of: "Sources/Delivery/CarillonFCM/CarillonFCM.docc/Verdicts.md", head: "| Status | Error |"
        ).compactMap { cells in
            guard cells.count == 4, let status = UInt16(cells[0]) else { return nil }
            return Row(status: status, error: cells[1], verdict: cells[2], consequence: cells[3])
        }
    }()

    @Test func `the table of the page has rows`() {
        #expect(Self.rows.count > 50)
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count, "each row is there once")
    }

    @Test(arguments: rows) func `each row of the table agrees with the code`(_ row: Row) {
        let parts = row.error.components(separatedBy: ", ")
        let retryAfterMilliseconds = parts.compactMap { number(in: $0, after: "retry-after ") }.first.map { $0 * 1_000 }
        let answer = Array(body(parts, status: row.status).utf8).withUnsafeBytes {
            Self.adapter.answer(status: row.status, body: $0, retryAfterMilliseconds: retryAfterMilliseconds, at: .zero)
        }
        #expect(answer.status == row.status)
        #expect(answer.verdict.wordsWithDelay == row.verdict)
        #expect(words(answer.consequence) == row.consequence)
    }

    // MARK: The words of the table

    private func number(in text: String, after prefix: String) -> UInt64? {
        text.removing(prefix: prefix).flatMap { UInt64($0) }
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

    private func words(_ consequence: ProviderAnswer.Consequence) -> String {
        switch consequence {
        case .none: "none"
        case .countServerError: "server error"
        case .replaceConnection: "replace connection"
        case .replaceAccessToken: "replace token"
        case .replaceProviderToken, .replaceConnectionForAPNsTopics: "only of APNs"
        case .refuseCredential: "refuse credential"
        case .slowDown(let wait): "slow down" + (wait.map { ", after \($0 / 1_000) s" } ?? "")
        }
    }
}
