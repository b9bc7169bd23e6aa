import CarillonAPNs
import CarillonCore
import CarillonProvider
import Testing

/// Reads answers. Their meaning is in `CarillonAPNs.docc/Verdicts.md`, which AnswerJudgeTableTests reads.
struct APNsAnswerTests {
    private static let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func answer(_ status: UInt16, _ body: String, retryAfterMilliseconds: UInt64? = nil) -> ProviderAnswer {
        Array(body.utf8).withUnsafeBytes {
            APNsAdapter(epoch: .zero).answer(
                status: status, body: $0, retryAfterMilliseconds: retryAfterMilliseconds, at: Self.now)
        }
    }

    static let bodies = [
        "", "{}", "null", "[]", "\"Unregistered\"", "{\"reason\":1}", "{\"reason\":\"\"}",
        "{\"reason\":\"Unregistered\"",
        "{\"reason\":\"a\",\"reason\":\"b\"}", "<html>503</html>", "\u{0}\u{1}", String(repeating: "[", count: 5_000),
        "{\"reason\":\"\(String(repeating: "x", count: 129))\"}", String(repeating: "x", count: 100_000),
    ]

    @Test(arguments: [0, 100, 200, 301, 400, 403, 404, 410, 413, 421, 429, 500, 599, 600, .max] as [UInt16])
    func `a body without a reason counts as no body`(_ status: UInt16) {
        let empty = answer(status, "")
        #expect(empty.reason == nil)
        for body in Self.bodies { #expect(answer(status, body) == empty) }
    }

    @Test(arguments: [0, 100, 301, 400, 410, 429, 500, 600, .max] as [UInt16])
    func `an unknown reason is kept`(_ status: UInt16) {
        #expect(answer(status, "{\"reason\":\"SomethingNew\"}").reason == "SomethingNew")
    }

    @Test func `a body that is not UTF-8 is no reason`() {
        let parsed = [UInt8]([0x7B, 0xFF, 0x7D]).withUnsafeBytes { APNsAnswer.parse($0) }
        #expect(parsed.reason == nil)
        #expect(parsed.timestamp == nil)
    }

    @Test(arguments: [
        ("1700000000000", 1_700_000_000_000 as UInt64), ("0", 0), ("-0", 0), ("1.7e12", 1_700_000_000_000), ("1.4", 1),
        // An invalid time counts as now.
        ("-1", 1_790_000_000_000), ("1e300", 1_790_000_000_000),
        ("18446744073709551616", 1_790_000_000_000), ("\"1700000000000\"", 1_790_000_000_000),
        ("null", 1_790_000_000_000), ("{}", 1_790_000_000_000),
    ])
    func `a dead token is dead since the timestamp`(_ timestamp: String, _ since: UInt64) {
        let answer = answer(410, "{\"reason\":\"Unregistered\",\"timestamp\":\(timestamp)}")
        #expect(
            answer.verdict == .refused(.tokenUnregistered, deadSince: Timestamp(milliseconds: since)))
    }

    @Test func `the longest Retry-After does not overflow`() {
        #expect(
            answer(503, "", retryAfterMilliseconds: .max).verdict == .tryLater(.serverBusy, afterMilliseconds: .max))
    }
}
