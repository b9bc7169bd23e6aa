import CarillonCore
import CoreMetrics
import Synchronization

/// Measures how long APNs takes to answer, and how long a delivery takes as a whole.
final class DeliveryMetrics: Sendable {
    private let factory: any MetricsFactory
    /// By pool: from the moment at which a push is handed to a connection to the answer.
    private let answers = Mutex<[PoolKey: Timer]>([:])
    /// From the acceptance of a message, or its scheduled time, to the answer that ended a delivery.
    private let interactive: Timer
    private let bulk: Timer

    init(factory: any MetricsFactory) {
        self.factory = factory
        func timer(_ lane: Lane) -> Timer {
            Timer(label: "carillon_delivery_seconds", dimensions: [("lane", "\(lane)")], factory: factory)
        }
        (interactive, bulk) = (timer(.interactive), timer(.bulk))
    }

    /// Records the results of attempts that were pulled for a pool. Attempts without an answer are not measured.
    func completed(_ results: [DeliveryResult], for pool: PoolKey, at now: Moment) {
        let answers = timer(of: pool)
        for result in results where result.status != 0 {
            answers.recordMilliseconds(now.uptimeMilliseconds - min(now.uptimeMilliseconds, result.attempt.handedOutAt))
            switch result.verdict {
            case .delivered, .refused:
                let message = result.attempt.message
                let lane = message.lane == .interactive ? interactive : bulk
                lane.recordMilliseconds(now.wall.milliseconds(since: message.entry.acceptedAt))
            case .notProcessed, .unknown, .tryLater, .credentialRefused: break
            }
        }
    }

    private func timer(of pool: PoolKey) -> Timer {
        answers.withLock { answers in
            if let known = answers[pool] { return known }
            let timer = Timer(
                label: "carillon_apns_answer_seconds",
                dimensions: [("credential", pool.credential), ("environment", pool.environment.name)],
                factory: factory)
            answers[pool] = timer
            return timer
        }
    }
}
