import CarillonCore
import CoreMetrics
import Synchronization

/// The numbers of accepted messages, by app and lane.
final class AcceptanceMetrics: Sendable {
    private struct State {
        var labels = AppLabels()
        var counters: [OutboxQueue: Counter] = [:]
    }

    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    /// Counts a message that was not accepted before.
    func messageAccepted(of app: AppID, in lane: Lane) {
        counter(OutboxQueue(lane: lane, app: app)).increment()
    }

    /// Makes the counters of apps, so that the first message is an increase from 0.
    func prepare(_ apps: some Sequence<AppID>) {
        for app in apps { for lane in Lane.allCases { _ = counter(OutboxQueue(lane: lane, app: app)) } }
    }

    private func counter(_ queue: OutboxQueue) -> Counter {
        state.withLock { state in
            if let known = state.counters[queue] { return known }
            let label = state.labels.assignLabel(to: queue.app.name)
            let counter = Counter(
                label: "carillon_messages_accepted_total", dimensions: [("app", label), ("lane", "\(queue.lane)")],
                factory: factory)
            if label != AppLabels.other { state.counters[queue] = counter }
            return counter
        }
    }
}
