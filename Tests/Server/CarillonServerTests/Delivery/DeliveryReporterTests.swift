import CarillonCore
import CarillonDelivery
import CarillonTestKit
import CoreMetrics
import Logging
import Testing

@testable import CarillonServer

/// The log lines, events and alarms of delivery.
struct DeliveryReporterTests {
    private let game = TestApps.game
    private let log = RecordingLog()
    private let registry = FakeRegistry { _ in .applied }
    private let metrics = OutcomeMetrics(factory: NOOPMetricsHandler.instance)
    private let reporter: DeliveryReporter

    init() {
        reporter = DeliveryReporter(registry, outcomeMetrics: metrics, logger: log.logger)
    }

    /// The kinds of the events that were published, in order.
    private var events: [Event.Kind] {
        registry.changes.compactMap { change -> Event.Kind? in
            guard case .appendEvent(let event) = change else { return nil }
            return event.kind
        }
    }

    @Test func `a message that cannot be read is logged once`() {
        let unreadable = UnreadableMessage(id: MessageID(rawValue: 7), reason: "damaged")
        for _ in 1...2 { reporter.report([unreadable]) }
        #expect(log.messages == ["critical: a message cannot be read and is not sent"])
    }

    @Test func `an alarm of tokens is in the metrics, the events and the log`() {
        reporter.report(.badTokens(game, .apnsProduction, isOver: false))
        #expect(metrics.badTokenAlarms == [OutcomeMetrics.BadTokenAlarm(app: game, destination: .apnsProduction)])
        #expect(events == [.badTokensBegan])
        reporter.report(.badTokens(game, .apnsProduction, isOver: true))
        #expect(metrics.badTokenAlarms == [])
        #expect(events == [.badTokensBegan, .badTokensEnded])
        #expect(log.entries.now.map(\.level) == [.critical, .notice])
    }

    @Test func `only the first refusal of a credential is an event`() {
        let pool = PoolKey(destination: .apnsProduction, credential: "main")
        for isFirst in [true, false] {
            reporter.report(
                .credentialRefused(
                    pool, nil, reason: "InvalidProviderToken", trialMilliseconds: 1_000, isFirst: isFirst))
        }
        #expect(events == [.credentialRefused])
        #expect(log.entries.now.map(\.level) == [.error, .error])
    }
}
