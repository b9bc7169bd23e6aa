import CarillonAPNs
import CarillonCore
import CarillonProvider
import CarillonTestKit
import Foundation
import Testing

/// The table of the page Channels, row by row.
struct ChannelAnswerTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: String
        var answer: String
        var end: String
        var request: String
        var effect: String
        var connection: String

        var testDescription: String { "\(status), \(answer), \(end)" }
    }

    /// The rows of the page; empty if it cannot be read, and the test "the table of the page has rows" then fails.
    static let rows: [Row] = {
        let page = Repository.file("Sources/Delivery/CarillonAPNs/CarillonAPNs.docc/Channels.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.drop { !$0.hasPrefix("| Status | Answer | End | Request |") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6 else { return nil }
            return Row(
                status: cells[0], answer: cells[1], end: cells[2], request: cells[3], effect: cells[4],
                connection: cells[5])
        }
    }()

    @Test func `the table of the page has rows`() {
        #expect(Self.rows.count > 45)
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count, "each row is there once")
    }

    @Test(arguments: rows) func `each row of the table agrees with the code`(_ row: Row) throws {
        let result = result(of: row)
        #expect(word(for: result.end) == row.request)
        #expect(effect(of: result.end) == row.effect)
        #expect(word(for: result.consequence) == row.connection)
    }

    // MARK: The words of the table

    private func result(of row: Row) -> ChannelManagementResult {
        let status = UInt16(row.status) ?? 0
        switch row.end {
        case "connection ends": return ChannelManagementResult(atEndOfConnection: status, wasSent: true)
        case "not sent": return ChannelManagementResult(atEndOfConnection: status, wasSent: false)
        default: break
        }
        let stream = ClosedStream(
            status: status, isComplete: row.end == "whole", isMalformed: row.end == "two statuses",
            errorCode: row.end.removing(prefix: "RST_STREAM ").flatMap { UInt32($0) } ?? 0)
        let channelID: String? =
            switch row.answer {
            case "channel id": "dHN0LXNyY2gtY2hubA=="
            case "bad channel id": "no channel"
            default: nil
            }
        return Array(body(row.answer).utf8).withUnsafeBytes { body in
            ChannelManagementResult(.create(.mostRecent), endedBy: stream, body: body, channelID: channelID, now: .zero)
        }
    }

    private func body(_ answer: String) -> String {
        if answer == "HTML" { return "<html>no</html>" }
        return answer.hasPrefix("`") ? "{\"reason\":\"\(answer.dropFirst().dropLast())\"}" : ""
    }

    private func word(for request: ChannelManagementResult.End) -> String {
        switch request {
        case .answered: "answered"
        case .notProcessed: "not processed"
        case .failed(let failure):
            switch failure.kind {
            case .noSuchChannel: "no such channel: \(failure.reason)"
            case .invalidChannelID: "invalid channel id: \(failure.reason)"
            case .refused: "refused: \(failure.reason)"
            case .unavailable: "unavailable: \(failure.reason)"
            case .overloaded, .late: "no verdict"
            }
        }
    }

    private func effect(of request: ChannelManagementResult.End) -> String {
        switch request {
        case .answered: "executed"
        case .notProcessed: "not executed"
        case .failed(let failure):
            switch failure.effect {
            case .notExecuted: "not executed"
            case .unknown: "unknown"
            case .executed: "executed"
            }
        }
    }

    private func word(for consequence: ProviderAnswer.Consequence) -> String {
        switch consequence {
        case .none: "stays"
        case .countServerError: "counts"
        case .replaceConnection: "replaced"
        case .replaceConnectionForAPNsTopics: "new topics"
        case .replaceProviderToken: "new token"
        case .replaceAccessToken, .slowDown: "only of FCM"
        case .refuseCredential: "credential"
        }
    }
}
