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
        var interactive = DurationRecorder(lanes.interactive)
        var bulk = DurationRecorder(lanes.bulk)
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

/// A recorder of durations. Many are equal, because results come together: equal durations in a row are counted, and
/// recorded together.
struct DurationRecorder {
    private let handler: any TimerHandler
    private var milliseconds: UInt64 = 0
    private var count = 0

    init(_ handler: any TimerHandler) {
        self.handler = handler
    }

    /// Adds a duration; it is recorded by the next one that differs, or by `flush`.
    mutating func add(milliseconds: UInt64) {
        if milliseconds != self.milliseconds {
            flush()
            self.milliseconds = milliseconds
        }
        count += 1
    }

    /// Records the durations that were added.
    mutating func flush() {
        guard count > 0 else { return }
        let (nanoseconds, overflows) = Int64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000_000)
        // The sum of `count` such values still fits.
        let value = overflows ? .max / Int64(count) : nanoseconds
        if let histogram = handler as? PrometheusHistogram {
            histogram.record(value, times: count)
        } else {
            for _ in 0..<count { handler.recordNanoseconds(value) }
        }
        count = 0
    }
}
