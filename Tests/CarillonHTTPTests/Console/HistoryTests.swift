import CarillonCore
import Testing

@testable import CarillonHTTP

struct HistoryTests {
    private func sample(at milliseconds: UInt64, delivered: UInt64, failed: UInt64 = 0) -> ConsoleSample {
        var statistics = ServerStatistics(
            at: Timestamp(milliseconds: milliseconds), startedAt: Timestamp(milliseconds: 1), software: "x")
        statistics.outcomes = [Outcome(rawValue: 1): delivered, Outcome(rawValue: 34): failed]
        return ConsoleSample(statistics)
    }

    private func columns(_ history: History, after number: UInt64 = 0) throws -> JSONNode {
        var output = JSONStreamWriter()
        history.append(after: number, to: &output)
        return try JSONParser.parse(output.bytes)
    }

    @Test func totalsBecomeRatesASecond() throws {
        var history = History()
        history.add(sample(at: 1_000, delivered: 10))
        #expect(history.count == 0)
        history.add(sample(at: 6_000, delivered: 510, failed: 5))
        let node = try columns(history)
        #expect(node["delivered"]?.items?.map(\.value) == [.number("100")])
        #expect(node["failed"]?.items?.map(\.value) == [.number("1")])
        #expect(node["last"]?.wholeNumber == 1)
    }

    @Test func aRateBelowOneIsNotShownAsZero() throws {
        var history = History()
        history.add(sample(at: 1_000, delivered: 0))
        history.add(sample(at: 6_000, delivered: 22, failed: 1))
        let node = try columns(history)
        #expect(node["delivered"]?.items?.map(\.value) == [.number("4.4")])
        #expect(node["failed"]?.items?.map(\.value) == [.number("0.2")])
    }

    @Test func theAcceptedPushesOfEachProviderBecomeARate() throws {
        var history = History()
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

    @Test func aClockThatGoesBackAndATotalThatFallsAreNoSampleAndNoRate() throws {
        var history = History()
        history.add(sample(at: 6_000, delivered: 10))
        history.add(sample(at: 5_000, delivered: 20))
        #expect(history.count == 0)
        history.add(sample(at: 10_000, delivered: 5))
        #expect(try columns(history)["delivered"]?.items?.map(\.value) == [.number("0")])
    }

    @Test func samplesOfAnHourAreKeptAndAReaderGetsTheNewOnes() throws {
        var history = History()
        for number in 0...UInt64(History.maximumSamples + 10) {
            history.add(sample(at: 5_000 * (number + 1), delivered: number))
        }
        #expect(history.count == History.maximumSamples)
        let all = try columns(history)
        let last = try #require(all["last"]?.wholeNumber)
        #expect(last == UInt64(History.maximumSamples + 10))
        #expect(all["at"]?.items?.count == History.maximumSamples)
        #expect(try columns(history, after: last - 3)["at"]?.items?.count == 3)
        #expect(try columns(history, after: last)["at"]?.items?.isEmpty == true)
        #expect(try columns(history, after: .max)["at"]?.items?.isEmpty == true)
    }

    @Test func theProgressOfAMessageIsKeptWithinABound() throws {
        var history = History()
        let app = try #require(AppID("com.example.game"))
        for number in 1...UInt64(2_000) {
            var now = sample(at: 5_000 * number, delivered: 0)
            now.statistics.sending = [
                ServerStatistics.SendingMessage(
                    id: MessageID(rawValue: 7), app: app, lane: .bulk, acceptedAt: Timestamp(milliseconds: 1),
                    total: 10_000,
                    ended: number, inFlight: 0, rate: 1),
                ServerStatistics.SendingMessage(
                    id: MessageID(rawValue: 100 + number), app: app, lane: .bulk,
                    acceptedAt: Timestamp(milliseconds: 1),
                    total: 1, ended: 0, inFlight: 0, rate: 0),
            ]
            now.outcomes = [
                MessageID(rawValue: 7): [
                    .pending: 10_000 - 3 * number, .delivered: 2 * number, .badToken: number / 2, .muted: number / 2,
                ],
                MessageID(rawValue: 100 + number): [.pending: 1],
            ]
            history.add(now)
        }
        let points = history.points(of: 7)
        #expect(points.count <= History.maximumPoints)
        #expect(points.count > History.maximumPoints / 4)
        #expect(points.map(\.delivered) == points.map(\.delivered).sorted())
        #expect(points.allSatisfy { $0.failed == $0.delivered / 4 && $0.notSent == $0.failed })
        #expect((points.last?.delivered ?? 0) > 3_900)
        #expect(history.points(of: 101).isEmpty)
        #expect(!history.points(of: 2_100).isEmpty)
    }

    @Test func everyOutcomeHasAGroup() {
        #expect(OutcomeGroup(Outcome(rawValue: 1)) == .delivered)
        #expect(OutcomeGroup(Outcome(rawValue: 8)) == .notSent)
        #expect(OutcomeGroup(Outcome(rawValue: 4)) == .failed)
        #expect(OutcomeGroup(Outcome(rawValue: 63)) == .failed)
        #expect(OutcomeGroup(Outcome(rawValue: 255)) == .failed)
    }
}
