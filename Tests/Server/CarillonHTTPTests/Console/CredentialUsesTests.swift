import CarillonCore
import Testing

@testable import CarillonHTTP

/// The last use and the last refusal of each credential, as the samples show them.
struct CredentialUsesTests {
    private typealias Answer = ServerStatistics.AnswerCount

    private func statistics(
        at milliseconds: UInt64, attempts: UInt64, _ answers: [Answer] = [], credential: String = "main"
    ) -> ServerStatistics {
        var statistics = ServerStatistics(
            at: Timestamp(milliseconds: milliseconds), startedAt: Timestamp(milliseconds: 1), software: "x")
        var pool = ServerStatistics.Pool(credential: credential, environment: .production)
        pool.attempts = attempts
        pool.answers = answers
        statistics.pools = [pool]
        return statistics
    }

    @Test func `the last use is the time of the sample in which attempts last grew`() {
        var uses = CredentialUses()
        uses.add(statistics(at: 5_000, attempts: 0))
        #expect(uses.use(of: "main", .production) == CredentialUses.Use())
        uses.add(statistics(at: 10_000, attempts: 7))
        uses.add(statistics(at: 15_000, attempts: 7))
        #expect(uses.use(of: "main", .production)?.usedAt == Timestamp(milliseconds: 10_000))
        #expect(uses.use(of: "main", .sandbox) == nil)
    }

    @Test func `the last refusal is the most frequent new answer of status 401 or 403`() throws {
        var uses = CredentialUses()
        let old = Answer(status: 403, reason: "ExpiredProviderToken", count: 900)
        uses.add(statistics(at: 5_000, attempts: 900, [old]))
        #expect(uses.use(of: "main", .production)?.refusal?.reason == "ExpiredProviderToken")
        let answers = [
            old, Answer(status: 200, reason: "", count: 5_000),
            Answer(status: 400, reason: "BadDeviceToken", count: 80),
            Answer(status: 403, reason: "Forbidden", count: 2),
            Answer(status: 403, reason: "InvalidProviderToken", count: 3),
        ]
        uses.add(statistics(at: 10_000, attempts: 6_000, answers))
        uses.add(statistics(at: 15_000, attempts: 6_000, answers))
        let refusal = try #require(uses.use(of: "main", .production)?.refusal)
        #expect(refusal.at == Timestamp(milliseconds: 10_000))
        #expect(refusal.status == 403)
        #expect(refusal.reason == "InvalidProviderToken")
    }

    @Test func `a credential that no app uses is forgotten`() throws {
        var uses = CredentialUses()
        uses.add(statistics(at: 5_000, attempts: 3))
        uses.add(statistics(at: 10_000, attempts: 1, credential: "other"))
        #expect(uses.use(of: "main", .production) == nil)
        var output = JSONStreamWriter()
        uses.append(to: &output)
        let items = try #require(try LocatedJSONParser.parse(output.bytes).items)
        #expect(items.count == 1)
        #expect(items[0]["credential"]?.text == "other")
        #expect(items[0]["used_at"]?.wholeNumber == 10_000)
        #expect(items[0]["refused_at"] == nil)
    }
}
