import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonWebPush
import Foundation
import Testing

/// The table of `CarillonWebPush.docc/Verdicts.md`, row by row.
struct WebPushAnswerTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var service: String
        var status: UInt16
        var answer: String
        var verdict: String
        var consequence: String

        var testDescription: String { "\(service), \(status), \(answer)" }

        var services: [WebPushService] { WebPushService(rawValue: service).map { [$0] } ?? WebPushService.allCases }
    }

    /// The rows of the page; empty if it cannot be read, and the test "the table of the page has rows" then fails.
    static let rows: [Row] = {
        PageTable.rows(
            of: "Sources/Delivery/CarillonWebPush/CarillonWebPush.docc/Verdicts.md", head: "| Service | Status |"
        ).compactMap { cells in
            guard cells.count == 5, let status = UInt16(cells[1]) else { return nil }
            return Row(service: cells[0], status: status, answer: cells[2], verdict: cells[3], consequence: cells[4])
        }
    }()

    @Test func `the table of the page has rows`() {
        #expect(Self.rows.count > 50)
        #expect(Set(Self.rows.map(\.testDescription)).count == Self.rows.count, "each row is there once")
        let services = Set(Self.rows.map(\.service)).subtracting(["any"])
        #expect(services.filter { WebPushService(rawValue: $0) == nil } == [])
    }

    @Test(arguments: rows) func `each row of the table agrees with the code`(_ row: Row) throws {
        for service in row.services {
            let doubted = try answer(row, service, isKeyProven: false)
            let proven = try answer(row, service, isKeyProven: true)
            #expect(doubted.status == row.status)
            if row.verdict == "mismatch" {
                #expect(doubted.verdict == .refused(.forbidden, deadSince: nil))
                #expect(doubted.consequence == .none)
                #expect(proven.verdict == .refused(.tokenNotForTopic, deadSince: nil))
                #expect(proven.consequence == .none)
                #expect(proven.reason != nil)
            } else {
                #expect(doubted == proven)
                #expect(doubted.verdict.wordsWithDelay == row.verdict)
                #expect(words(doubted.consequence) == row.consequence)
            }
        }
    }

    private func answer(_ row: Row, _ service: WebPushService, isKeyProven: Bool) throws -> ProviderAnswer {
        let endpoint = try #require(HTTPSAddress("https://\(host(of: service))/push"))
        let adapter = WebPushAdapter(endpoint) { isKeyProven }
        let parts = row.answer.components(separatedBy: ", retry-after ")
        let retryAfterMilliseconds = parts.count == 2 ? UInt64(parts[1]).map { $0 * 1_000 } : nil
        let detail = parts[0].removing(prefix: "detail ").map(String.init)
        return Array(body(parts[0], service).utf8).withUnsafeBytes {
            adapter.answer(
                status: row.status, body: $0, retryAfterMilliseconds: retryAfterMilliseconds, errorDescription: detail,
                at: .zero)
        }
    }

    private func host(of service: WebPushService) -> String {
        switch service {
        case .google: "fcm.googleapis.com"
        case .mozilla: "updates.push.services.mozilla.com"
        case .apple: "web.push.apple.com"
        case .windows: "db5p.notify.windows.com"
        case .other: "push.example.org"
        }
    }

    private func body(_ answer: String, _ service: WebPushService) -> String {
        if answer == "HTML" { return "<html><body>An answer of a proxy</body></html>" }
        if let number = answer.removing(prefix: "errno ") {
            return #"{"code":400,"errno":\#(number),"error":"x","message":"y"}"#
        }
        guard answer.hasPrefix("`") else { return "" }
        let text = answer.trimmingCharacters(in: ["`"])
        return service == .google ? text : #"{"reason":"\#(text)"}"#
    }

    private func words(_ consequence: ProviderAnswer.Consequence) -> String {
        switch consequence {
        case .none: "none"
        case .countServerError: "server error"
        case .replaceConnection: "replace connection"
        case .refuseCredential: "refuse key"
        case .slowDown(let wait): "slow down" + (wait.map { ", after \($0 / 1_000) s" } ?? "")
        case .replaceConnectionForAPNsTopics, .replaceProviderToken, .replaceAccessToken: "of other providers"
        }
    }
}
