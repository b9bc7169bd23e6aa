import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import Foundation
import Testing

/// The table of `CarillonAPNs.docc/Verdicts.md`, row by row, with a real connection.
@Suite(.cleansUp) struct AnswerJudgeTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: String
        var answer: String
        var end: String
        var verdict: String
        var connection: String

        var testDescription: String { "\(status), \(answer), \(end)" }
    }

    /// The rows of the page; empty if it cannot be read, and the test "the table of the page has rows" then fails.
    static let rows: [Row] = {
        PageTable.rows(
            of: "Sources/Delivery/CarillonAPNs/CarillonAPNs.docc/Verdicts.md", head: "| Status | Answer | End |"
        ).compactMap { cells in
            guard cells.count == 5 else { return nil }
            return Row(status: cells[0], answer: cells[1], end: cells[2], verdict: cells[3], connection: cells[4])
        }
    }()

    @Test func `the table of the page has rows`() {
        #expect(Self.rows.count > 80)
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count, "each row is there once")
    }

    @Test(arguments: rows) func `each row of the table agrees with the code`(_ row: Row) async throws {
        let begin = Timestamp(milliseconds: UInt64(Date().timeIntervalSince1970 * 1_000))
        // The second push of a connection has the answer of the row. With a limit of one failure a failure ends the
        // connection, with a limit of two it does not.
        for failures in 1...2 {
            let apns = try await ScriptedAPNs { arrival in
                arrival.connection == 1 && arrival.number == 2 ? reactions(row, to: arrival.stream) : [.answer(200)]
            }
            let sender = try Sender(to: apns.port, source: RecordingSource(retries: { _ in false })) { limits in
                limits.serverErrors = failures
                // A busy machine may need more than a moment for the other pushes.
                if row.end == "never" { limits.answerTimeoutMilliseconds = 5_000 }
            }
            for device in 1...3 {
                sender.source.add(devices: device...device)
                try await sender.source.allReturned(deliveries: device)
            }
            let state = sender.source.watched.now
            #expect(state.verdicts[1] == [.delivered])
            #expect(state.verdicts[3] == [.delivered])
            check(try #require(state.verdicts[2]?.first), row, from: begin)
            let isReplaced = row.connection == "replaced" || row.connection == "counts" && failures == 1
            #expect(apns.watched.now.arrivals.last?.connection == (isReplaced ? 2 : 1))
            try await sender.closeExpectingAllReturned()
            try await apns.close()
        }
    }

    // MARK: The words of the table

    private func reactions(_ row: Row, to stream: Int32) -> [ScriptedAPNs.Reaction] {
        let body = body(row.answer)
        let statuses = row.status.split(separator: ", ").compactMap { Int($0) }
        let isWhole = row.end == "whole"
        var bytes: [UInt8] = []
        for (index, status) in statuses.enumerated() {
            let isLast = index == statuses.count - 1
            let isTwice = row.end == "two statuses"
            let isCapital = row.end == "capitals in a name"
            bytes += Frames.headers(
                isTwice ? [status, status] : [status],
                (isCapital ? [("Server", "x")] : []) + (isLast ? retryAfter(row.answer) : []),
                endsStream: isLast && body.isEmpty && (isWhole || isTwice || isCapital), stream: stream)
        }
        bytes += Frames.body(body, endsStream: isWhole, stream: stream)
        if let code = row.end.removing(prefix: "RST_STREAM ").flatMap({ UInt32($0) }) {
            bytes += Frames.reset(code, stream: stream)
        }
        switch row.end {
        case "connection ends": return [.raw(bytes), .close]
        case "GOAWAY below it": return [.goAway(last: stream - 2)]
        default: return bytes.isEmpty ? [] : [.raw(bytes)]
        }
    }

    private func body(_ answer: String) -> [UInt8] {
        switch answer {
        case "empty": return []
        case "HTML": return Array("<html><body>An answer of a proxy</body></html>".utf8)
        case "half a reason": return Array(#"{"reason":"BadDev"#.utf8)
        default: break
        }
        let reason = answer.split(separator: "`").dropFirst(answer.hasPrefix("`") ? 0 : 1).first ?? ""
        let kibibytes = answer.contains(" KiB, ") ? Int(answer.prefix { $0.isNumber }) ?? 0 : 0
        let filler = kibibytes > 0 ? #""detail":"\#(String(repeating: "x", count: kibibytes * 1_024))","# : ""
        let since = answer.contains(" since ") ? #","timestamp":\#(answer.suffix(while: \.isNumber))"# : ""
        return Array(#"{\#(filler)"reason":"\#(reason)"\#(since)}"#.utf8)
    }

    private func retryAfter(_ answer: String) -> [(String, String)] {
        guard let range = answer.range(of: "retry-after ") else { return [] }
        let value = answer[range.upperBound...]
        guard value.hasSuffix(" as a date") else { return [("retry-after", String(value))] }
        let seconds = TimeInterval(value.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return [("retry-after", format.string(from: Date(timeIntervalSinceNow: seconds)))]
    }

    private func check(_ verdict: Verdict, _ row: Row, from begin: Timestamp) {
        let wanted = row.verdict.split(separator: ", ").map(String.init)
        let detail = wanted.count > 1 ? UInt64(wanted[1].drop { !$0.isNumber }.prefix { $0.isNumber }) : nil
        #expect(verdict.words == wanted.first)
        switch verdict {
        case .tryLater(_, let delayMilliseconds):
            guard let detail else { return #expect(delayMilliseconds == nil) }
            // A date is read a moment after it was written.
            #expect((detail * 900...detail * 1_000).contains(delayMilliseconds ?? 0))
        case .refused(_, let since?):
            if let detail { #expect(since.milliseconds == detail) } else { #expect(since >= begin) }
        default: #expect(detail == nil)
        }
    }
}

extension StringProtocol {
    /// Returns the longest end of the text whose characters all satisfy a condition.
    fileprivate func suffix(while condition: (Character) -> Bool) -> String {
        String(reversed().prefix(while: condition).reversed())
    }
}
