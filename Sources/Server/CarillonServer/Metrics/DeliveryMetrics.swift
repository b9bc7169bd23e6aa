import CarillonCore
import CarillonTransport
import CoreMetrics
import Synchronization

/// The time that a provider takes to answer, and the time of a delivery as a whole.
final class DeliveryMetrics: Sendable {
    private let factory: any MetricsFactory
    /// The time from the hand-over of a push to a connection to the answer, by pool.
    private let answers = Mutex<[PoolKey: any TimerHandler]>([:])
    /// The time from the acceptance of a message, or its scheduled time, to the answer that ended a delivery.
    private let deliveries: [Provider: Lanes]

    private struct Lanes {
        var interactive: any TimerHandler
        var bulk: any TimerHandler
    }

    init(factory: any MetricsFactory) {
        self.factory = factory
        func timer(of lane: Lane, provider: Provider) -> any TimerHandler {
            factory.makeTimer(
                label: "carillon_delivery_seconds", dimensions: [("lane", "\(lane)"), ("provider", provider.name)])
        }
        // All series exist from the start, because an objective is computed from increases.
        deliveries = Dictionary(
            uniqueKeysWithValues: Provider.allCases.map {
                ($0, Lanes(interactive: timer(of: .interactive, provider: $0), bulk: timer(of: .bulk, provider: $0)))
            })
    }

    /// Records the results of attempts that were pulled for a pool. Attempts without an answer are not measured.
    func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey, at now: Moment) {
        var answers = DurationRecorder(timer(of: pool))
        guard let lanes = deliveries[pool.destination.provider] else { return }
        var (interactive, bulk) = (DurationRecorder(lanes.interactive), DurationRecorder(lanes.bulk))
        for result in results where result.status != 0 {
            answers.add(
                milliseconds: now.uptime.milliseconds(since: result.attempt.handedOutAt))
            switch result.verdict {
            case .delivered, .refused:
                let message = result.attempt.message
                let milliseconds = now.wall.milliseconds(since: message.value.sendableSince)
                if message.lane == .interactive {
                    interactive.add(milliseconds: milliseconds)
                } else {
                    bulk.add(milliseconds: milliseconds)
                }
            case .notProcessed, .unknown, .tryLater, .credentialRefused: break
            }
        }
        answers.flush()
        interactive.flush()
        bulk.flush()
    }

    private func timer(of pool: PoolKey) -> any TimerHandler {
        answers.withLock { answers in
            if let known = answers[pool] { return known }
            let timer = factory.makeTimer(
                label: pool.metricPrefix + "answer_seconds", dimensions: pool.labels)
            answers[pool] = timer
            return timer
        }
    }
}
