import CarillonCore
import CoreMetrics
import Synchronization

/// The numbers of outcomes by app, and the alarms of bad tokens by app and destination.
final class OutcomeMetrics: Sendable {
    private struct Key: Hashable {
        var app: String
        var outcome: Outcome
    }

    /// The alarm that a destination calls too many tokens of an app bad.
    struct BadTokenAlarm: Hashable, Sendable {
        var app: AppID
        var destination: PushDestination
    }

    private struct State {
        var counters: [Key: Counter] = [:]
        var labels = AppLabels()
        /// The totals of all apps.
        var totals: [Outcome: UInt64] = [:]
        /// The apps and destinations whose alarm is on.
        var badTokenAlarms: Set<BadTokenAlarm> = []
    }

    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Makes the counters of apps, so that the first outcome of a kind is an increase from 0, which alarms see.
    func prepare(_ apps: some Sequence<AppID>) {
        for app in apps {
            for outcome in Outcome.named where outcome != .pending { _ = counter(of: app.name, outcome: outcome) }
        }
    }

    /// Counts outcomes of one app that are on disk.
    func outcomesRecorded(_ recipients: [OutcomeRecord.EndedRecipient], of app: AppID?) {
        // There are many recipients and few different outcomes, so the bytes of the outcomes are counted first.
        var tally = [Int](repeating: 0, count: 256)
        for recipient in recipients { tally[Int(recipient.outcome.rawValue)] += 1 }
        for (byte, count) in tally.enumerated() where count > 0 {
            let outcome = Outcome(rawValue: UInt8(byte))
            counter(of: app?.name ?? AppLabels.other, outcome: outcome).increment(by: count)
            state.withLock { $0.totals[outcome, default: 0] &+= UInt64(count) }
        }
    }

    /// The numbers of outcomes of all apps since the start.
    var totals: [Outcome: UInt64] { state.withLock { $0.totals } }

    /// The alarms that are on now, by app.
    var badTokenAlarms: [BadTokenAlarm] {
        state.withLock { $0.badTokenAlarms }.sorted {
            ($0.app.name, $0.destination.rawValue) < ($1.app.name, $1.destination.rawValue)
        }
    }

    /// Turns the alarm on or off that too many tokens of an app are called bad, and sets its gauge.
    func setAlarm(for app: AppID, to destination: PushDestination, isOn: Bool) {
        let label = state.withLock { state in
            let alarm = BadTokenAlarm(app: app, destination: destination)
            if isOn { state.badTokenAlarms.insert(alarm) } else { state.badTokenAlarms.remove(alarm) }
            return state.labels.assignLabel(to: app.name)
        }
        Gauge(
            label: "carillon_bad_token_alarm",
            dimensions: [("app", label), ("environment", destination.name)], factory: factory
        ).record(isOn ? 1 : 0)
    }

    private func counter(of app: String, outcome: Outcome) -> Counter {
        state.withLock { state in
            let key = Key(app: state.labels.assignLabel(to: app), outcome: outcome)
            if let counter = state.counters[key] { return counter }
            let counter = Counter(
                label: "carillon_outcomes_total", dimensions: [("app", key.app), ("outcome", outcome.name)],
                factory: factory)
            state.counters[key] = counter
            return counter
        }
    }
}
