import CarillonAPNs
import CarillonCore
import Testing

/// Apple's reasons, and what each means for the push and for the connection.
@Suite struct AnswerTests {
    private static let now = Timestamp(milliseconds: 1_790_000_000_000)

    private func answer(_ status: UInt16, _ body: String, retryAfter: UInt32? = nil) -> Answer {
        Array(body.utf8).withUnsafeBytes { Answer(status: status, body: $0, retryAfter: retryAfter, now: Self.now) }
    }

    static let reasons: [(UInt16, String, Verdict, Answer.Consequence)] = [
        (410, "Unregistered", .refused(.tokenUnregistered, deadSince: now), .none),
        (410, "ExpiredToken", .refused(.tokenExpired, deadSince: now), .none),
        (400, "BadDeviceToken", .refused(.badToken, deadSince: nil), .none),
        (400, "MissingDeviceToken", .refused(.badToken, deadSince: nil), .none),
        (400, "DeviceTokenNotForTopic", .refused(.tokenNotForTopic, deadSince: nil), .none),
        (400, "BadCollapseId", .refused(.badRequest, deadSince: nil), .none),
        (400, "BadExpirationDate", .refused(.badRequest, deadSince: nil), .none),
        (400, "BadMessageId", .refused(.badRequest, deadSince: nil), .none),
        (400, "BadPriority", .refused(.badRequest, deadSince: nil), .none),
        (400, "DuplicateHeaders", .refused(.badRequest, deadSince: nil), .none),
        (400, "InvalidPushType", .refused(.badRequest, deadSince: nil), .none),
        (400, "PayloadEmpty", .refused(.badRequest, deadSince: nil), .none),
        (404, "BadPath", .refused(.badRequest, deadSince: nil), .none),
        (405, "MethodNotAllowed", .refused(.badRequest, deadSince: nil), .none),
        (400, "BadTopic", .refused(.badTopic, deadSince: nil), .none),
        (400, "MissingTopic", .refused(.badTopic, deadSince: nil), .none),
        (400, "TopicDisallowed", .refused(.topicDisallowed, deadSince: nil), .renewTopics),
        (413, "PayloadTooLarge", .refused(.payloadTooLarge, deadSince: nil), .none),
        (403, "Forbidden", .refused(.forbidden, deadSince: nil), .none),
        (403, "BadCertificate", .credentialRefused, .stopCredential),
        (403, "BadCertificateEnvironment", .credentialRefused, .stopCredential),
        (403, "ExpiredProviderToken", .credentialRefused, .renewToken),
        (403, "InvalidProviderToken", .credentialRefused, .stopCredential),
        (403, "MissingProviderToken", .credentialRefused, .stopCredential),
        (403, "UnrelatedKeyIdInToken", .credentialRefused, .replaceConnection),
        (403, "BadEnvironmentKeyIdInToken", .credentialRefused, .stopCredential),
        (403, "BadEnvironmentKeyInToken", .credentialRefused, .stopCredential),
        (429, "TooManyProviderTokenUpdates", .credentialRefused, .replaceConnection),
        (429, "TooManyRequests", .tryLater(.tokenThrottled, afterMilliseconds: nil), .none),
        (500, "InternalServerError", .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (503, "ServiceUnavailable", .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (503, "Shutdown", .tryLater(.serverBusy, afterMilliseconds: nil), .replaceConnection),
        (400, "IdleTimeout", .notProcessed, .replaceConnection),
    ]

    @Test(arguments: reasons)
    func eachReasonHasItsVerdict(
        _ status: UInt16, _ reason: String, _ verdict: Verdict, _ consequence: Answer.Consequence
    ) {
        let answer = answer(status, "{\"reason\":\"\(reason)\"}")
        #expect(answer.status == status)
        #expect(answer.reason == reason)
        #expect(answer.verdict == verdict)
        #expect(answer.consequence == consequence)
    }

    static let statuses: [(UInt16, Verdict, Answer.Consequence)] = [
        (200, .delivered, .none), (400, .refused(.refused, deadSince: nil), .none),
        (403, .refused(.refused, deadSince: nil), .none), (404, .refused(.refused, deadSince: nil), .none),
        (410, .refused(.tokenUnregistered, deadSince: now), .none),
        (413, .refused(.payloadTooLarge, deadSince: nil), .none),
        (429, .tryLater(.tokenThrottled, afterMilliseconds: nil), .none),
        (500, .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (599, .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (100, .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (301, .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (0, .tryLater(.serverBusy, afterMilliseconds: nil), .serverError),
        (600, .refused(.refused, deadSince: nil), .none), (.max, .refused(.refused, deadSince: nil), .none),
    ]

    static let bodies = [
        "", "{}", "null", "[]", "\"Unregistered\"", "{\"reason\":1}", "{\"reason\":\"\"}",
        "{\"reason\":\"Unregistered\"",
        "{\"reason\":\"a\",\"reason\":\"b\"}", "<html>503</html>", "\u{0}\u{1}", String(repeating: "[", count: 5_000),
        "{\"reason\":\"\(String(repeating: "x", count: 129))\"}", String(repeating: "x", count: 100_000),
    ]

    @Test(arguments: statuses)
    func withoutAReasonTheStatusDecides(_ status: UInt16, _ verdict: Verdict, _ consequence: Answer.Consequence) {
        for body in Self.bodies {
            let answer = answer(status, body)
            #expect(answer.reason == nil)
            #expect(answer.verdict == verdict)
            #expect(answer.consequence == consequence)
        }
        let unknown = answer(status, "{\"reason\":\"SomethingNew\"}")
        #expect(unknown.reason == (status == 200 ? nil : "SomethingNew"))
        #expect(unknown.verdict == verdict)
    }

    @Test func aBodyThatIsNotUTF8IsNoReason() {
        let parsed = [UInt8]([0x7B, 0xFF, 0x7D]).withUnsafeBytes { Answer.parse($0) }
        #expect(parsed.reason == nil)
        #expect(parsed.timestamp == nil)
    }

    @Test(arguments: [
        ("1700000000000", 1_700_000_000_000 as UInt64), ("0", 0), ("-0", 0), ("1.7e12", 1_700_000_000_000), ("1.4", 1),
        // An invalid time counts as now.
        ("-1", 1_790_000_000_000), ("1e300", 1_790_000_000_000), ("1e999", 1_790_000_000_000),
        ("18446744073709551616", 1_790_000_000_000), ("\"1700000000000\"", 1_790_000_000_000),
        ("null", 1_790_000_000_000), ("{}", 1_790_000_000_000),
    ])
    func aDeadTokenIsDeadSinceTheTimestamp(_ timestamp: String, _ since: UInt64) {
        let answer = answer(410, "{\"reason\":\"Unregistered\",\"timestamp\":\(timestamp)}")
        #expect(
            answer.verdict == .refused(.tokenUnregistered, deadSince: Timestamp(milliseconds: since)))
    }

    @Test(
        arguments: [
            (429, "TooManyRequests", Verdict.tryLater(.tokenThrottled, afterMilliseconds: 7_000)),
            (503, "ServiceUnavailable", .tryLater(.serverBusy, afterMilliseconds: 7_000)),
            (400, "BadDeviceToken", .refused(.badToken, deadSince: nil)),
        ] as [(UInt16, String, Verdict)])
    func retryAfterIsInSeconds(_ status: UInt16, _ reason: String, _ verdict: Verdict) {
        #expect(answer(status, "{\"reason\":\"\(reason)\"}", retryAfter: 7).verdict == verdict)
        #expect(
            answer(503, "", retryAfter: .max).verdict
                == .tryLater(.serverBusy, afterMilliseconds: 4_294_967_295_000))
    }
}
