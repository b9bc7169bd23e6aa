import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonServer

/// The counts of outcomes by app, and the alarms of tokens.
struct OutcomeMetricsTests {
    private let game = TestApps.game
    private let prometheus = Prometheus()
    private let metrics: OutcomeMetrics

    init() {
        metrics = OutcomeMetrics(factory: prometheus)
    }

    /// Records outcomes of recipients of one page.
    private func record(_ outcomes: Outcome..., of app: AppID?) {
        let ends = outcomes.enumerated().map {
            OutcomeRecord.EndedRecipient(position: UInt16($0.offset), outcome: $0.element)
        }
        metrics.outcomesRecorded(ends, of: app)
    }

    @Test func `outcomes are counted by app`() {
        record(.delivered, .delivered, .muted, of: game)
        record(.delivered, of: AppID("com.example.chat"))
        #expect(
            prometheus.series("carillon_outcomes_total") == [
                #"carillon_outcomes_total{app="com.example.chat",outcome="delivered"} 1"#,
                #"carillon_outcomes_total{app="com.example.game",outcome="delivered"} 2"#,
                #"carillon_outcomes_total{app="com.example.game",outcome="muted"} 1"#,
            ])
    }

    @Test func `outcomes of an unknown app are those of other`() {
        record(.delivered, of: nil)
        #expect(
            prometheus.series("carillon_outcomes_total")
                == [#"carillon_outcomes_total{app="other",outcome="delivered"} 1"#])
    }

    @Test func `apps beyond the limit are counted together`() {
        let appsBeyondTheLimit = 3
        for number in 0..<(AppLabels.maximumApps + appsBeyondTheLimit) {
            record(.delivered, of: AppID("com.example.app\(number)"))
        }
        #expect(
            prometheus.series(#"carillon_outcomes_total{app="other""#)
                == [#"carillon_outcomes_total{app="other",outcome="delivered"} 3"#])
    }

    @Test func `a prepared app has all its series before its first outcome`() {
        metrics.prepare([game])
        let ends = Outcome.named.filter { $0 != .pending }
        #expect(
            Set(prometheus.series("carillon_outcomes_total"))
                == Set(ends.map { #"carillon_outcomes_total{app="com.example.game",outcome="\#($0.name)"} 0"# }))
    }

    @Test func `the totals are those of all apps`() {
        record(.delivered, .muted, of: game)
        record(.delivered, of: AppID("com.example.chat"))
        #expect(metrics.totals == [.delivered: 2, .muted: 1])
    }

    @Test func `an alarm is a gauge that is set until the alarm is off`() {
        metrics.setAlarm(for: game, to: .apnsProduction, isOn: true)
        #expect(metrics.badTokenAlarms == [OutcomeMetrics.BadTokenAlarm(app: game, destination: .apnsProduction)])
        #expect(
            prometheus.series("carillon_bad_token_alarm")
                == [#"carillon_bad_token_alarm{app="com.example.game",environment="production"} 1"#])
        metrics.setAlarm(for: game, to: .apnsProduction, isOn: false)
        #expect(metrics.badTokenAlarms == [])
        #expect(
            prometheus.series("carillon_bad_token_alarm")
                == [#"carillon_bad_token_alarm{app="com.example.game",environment="production"} 0"#])
    }
}
