import CarillonCore
import Testing

@testable import CarillonHTTP

/// The samples of the console: totals become rates, and what is kept is bounded.
struct ConsoleHistoryTests {
    private func sample(at milliseconds: UInt64, delivered: UInt64, failed: UInt64 = 0) -> ConsoleSample {
        var statistics = ServerStatistics(
            at: Timestamp(milliseconds: milliseconds), startedAt: Timestamp(milliseconds: 1), software: "x")
        statistics.outcomes = [.delivered: delivered, .badToken: failed]
        return ConsoleSample(statistics)
    }

    private func columns(_ history: ConsoleHistory, after number: UInt64 = 0) throws -> LocatedJSON {
        var output = JSONStreamWriter()
        history.append(after: number, to: &output)
        return try LocatedJSONParser.parse(output.bytes)
    }

    @Test func `totals become rates a second`() throws {
        var history = ConsoleHistory()
        history.add(sample(at: 1_000, delivered: 10))
        #expect(history.count == 0)
        history.add(sample(at: 6_000, delivered: 510, failed: 5))
        let node = try columns(history)
        #expect(node["delivered"]?.items?.map(\.value) == [.number("100")])
        #expect(node["failed"]?.items?.map(\.value) == [.number("1")])
        #expect(node["last"]?.wholeNumber == 1)
    }

    @Test func `a rate below one is not shown as zero`() throws {
        var history = ConsoleHistory()
        history.add(sample(at: 1_000, delivered: 0))
        history.add(sample(at: 6_000, delivered: 22, failed: 1))
        let node = try columns(history)
        #expect(node["delivered"]?.items?.map(\.value) == [.number("4.4")])
        #expect(node["failed"]?.items?.map(\.value) == [.number("0.2")])
    }

    @Test func `the accepted pushes of each provider become a rate`() throws {
        var history = ConsoleHistory()
        var first = sample(at: 1_000, delivered: 0)
        first.accepted = [.apns: 100]
        var second = sample(at: 6_000, delivered: 0)
        second.accepted = [.apns: 600, .fcm: 50]
        history.add(first)
        history.add(second)
        let node = try columns(history)
        #expect(node["apns"]?.items?.map(\.value) == [.number("100")])
        #expect(node["fcm"]?.items?.map(\.value) == [.number("10")])
        #expect(node["web"]?.items?.map(\.value) == [.number("0")])
    }

    @Test func `a clock that goes back makes no sample`() {
        var history = ConsoleHistory()
        history.add(sample(at: 6_000, delivered: 10))
        history.add(sample(at: 5_000, delivered: 20))
        #expect(history.count == 0)
    }

    @Test func `a total that falls has a rate of zero`() throws {
        var history = ConsoleHistory()
        history.add(sample(at: 5_000, delivered: 20))
        history.add(sample(at: 10_000, delivered: 5))
        #expect(try columns(history)["delivered"]?.items?.map(\.value) == [.number("0")])
    }

    @Test func `samples of an hour are kept and a reader gets the new ones`() throws {
        var history = ConsoleHistory()
        for number in 0...UInt64(ConsoleHistory.maximumSamples + 10) {
            history.add(sample(at: 5_000 * (number + 1), delivered: number))
        }
        #expect(history.count == ConsoleHistory.maximumSamples)
        let all = try columns(history)
        let last = try #require(all["last"]?.wholeNumber)
        #expect(last == UInt64(ConsoleHistory.maximumSamples + 10))
        #expect(all["at"]?.items?.count == ConsoleHistory.maximumSamples)
        #expect(try columns(history, after: last - 3)["at"]?.items?.count == 3)
        #expect(try columns(history, after: last)["at"]?.items?.map(\.value) == [])
        #expect(try columns(history, after: .max)["at"]?.items?.map(\.value) == [])
    }

    /// The message that is in every sample of `historyWithMessages`.
    private static let longMessage: UInt64 = 7
    private static let sampleCount: UInt64 = 2_000

    /// Returns the message that is in one sample of `historyWithMessages` only.
    private static func shortMessage(ofSample number: UInt64) -> UInt64 { 100 + number }

    /// Makes a history in which one long message goes on, and each sample has a short message of its own.
    ///
    /// In sample 10 the long message is delivered to 20 devices, has failed for 5, and 5 are muted: 2n, n/2 and n/2 in
    /// sample n.
    private func historyWithMessages() throws -> ConsoleHistory {
        let app = try #require(AppID("com.example.game"))
        func sending(_ id: UInt64, total: UInt64, ended: UInt64) -> ServerStatistics.SendingMessage {
            ServerStatistics.SendingMessage(
                id: MessageID(rawValue: id), app: app, lane: .bulk, acceptedAt: Timestamp(milliseconds: 1),
                total: total, ended: ended, inFlight: 0, rate: 1)
        }
        var history = ConsoleHistory()
        for number in 1...Self.sampleCount {
            let shortMessage = Self.shortMessage(ofSample: number)
            var now = sample(at: 5_000 * number, delivered: 0)
            now.statistics.sending = [
                sending(Self.longMessage, total: 10_000, ended: number), sending(shortMessage, total: 1, ended: 0),
            ]
            now.outcomes = [
                MessageID(rawValue: Self.longMessage): [
                    .pending: 10_000 - 3 * number, .delivered: 2 * number, .badToken: number / 2, .muted: number / 2,
                ],
                MessageID(rawValue: shortMessage): [.pending: 1],
            ]
            history.add(now)
        }
        return history
    }

    @Test func `the progress of a message is kept within a bound`() throws {
        let points = try historyWithMessages().points(of: Self.longMessage)
        #expect(points.count <= ConsoleHistory.maximumPoints)
        #expect(points.count > ConsoleHistory.maximumPoints / 4)
        #expect(points.map(\.delivered) == points.map(\.delivered).sorted())
        let last = try #require(points.last)
        #expect(last.delivered > 2 * (Self.sampleCount - 50), "the points reach nearly to the last sample")
    }

    @Test func `a point of a message counts devices by the group of their outcome`() throws {
        let points = try historyWithMessages().points(of: Self.longMessage)
        #expect(points.map(\.failed) == points.map { $0.delivered / 4 })
        #expect(points.map(\.notSent) == points.map(\.failed))
    }

    @Test func `the points of messages that have long ended are forgotten`() throws {
        let history = try historyWithMessages()
        #expect(history.points(of: Self.shortMessage(ofSample: 1)).isEmpty)
        #expect(!history.points(of: Self.shortMessage(ofSample: Self.sampleCount)).isEmpty)
    }

    @Test func `every outcome has a group`() {
        let groups: [OutcomeGroup: [Outcome]] = [
            .delivered: [.delivered],
            .failed: [
                .gaveUp, .noCredential, .tokenUnregistered, .tokenExpired, .badToken, .tokenNotForTopic,
                .payloadTooLarge, .topicDisallowed, .badTopic, .badRequest, .forbidden, .noChannel, .refused,
            ],
            // A pending delivery is in this group too, but the points of a message leave it out.
            .notSent: [
                .pending, .unregistered, .expired, .wrongKind, .quarantined, .muted, .noLanguage, .cancelled,
                .overBudget, .left,
            ],
        ]
        #expect(Dictionary(grouping: Outcome.named) { OutcomeGroup($0) } == groups.mapValues { $0.sorted() })
    }

    @Test func `an outcome of a later version is a failure`() {
        #expect(OutcomeGroup(Outcome(rawValue: 255)) == .failed)
    }
}
