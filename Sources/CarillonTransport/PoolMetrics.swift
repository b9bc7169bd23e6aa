import CarillonAPNs
package import CarillonCore
package import CoreMetrics
import Synchronization

/// What a pool counts. On the way of a push it costs one addition for a batch; what goes wrong may cost more.
package final class PoolMetrics: Sendable {
    /// Pairs of status and reason that are told apart; Apple's set is open, and a broken peer could make up any number.
    private static let answerLimit = 64

    /// One status with its reason.
    private struct Answered: Hashable {
        var status: UInt16
        var reason: String
    }

    private let labels: [(String, String)]
    private let factory: any MetricsFactory
    private let attempts: Counter
    private let delivered: Counter
    private let opened: Counter
    private let failures: Counter
    private let answers = Mutex<[Answered: (counter: Counter, count: UInt64)]>([:])
    private let retries = Mutex<[String: Counter]>([:])
    private let waiting = Atomic<Int>(0)
    private let submittedCount = Atomic<UInt64>(0)
    private let deliveredCount = Atomic<UInt64>(0)
    private let streamCount = Atomic<Int>(0)

    /// Makes the metrics of a pool; pools of the same key share them.
    package init(_ key: PoolKey, factory: any MetricsFactory = MetricsSystem.factory) {
        labels = [("credential", key.credential), ("environment", key.environment.name)]
        self.factory = factory
        attempts = Counter(label: "carillon_apns_attempts_total", dimensions: labels, factory: factory)
        delivered = Counter(
            label: "carillon_apns_answers_total", dimensions: labels + [("status", "200"), ("reason", "")],
            factory: factory)
        opened = Counter(label: "carillon_apns_connections_opened_total", dimensions: labels, factory: factory)
        failures = Counter(label: "carillon_apns_connection_failures_total", dimensions: labels, factory: factory)
    }

    /// Pushes that are not answered.
    package var inFlight: Int { waiting.load(ordering: .relaxed) }

    /// Pushes that APNs would take at once on the connections that are open.
    package var streams: Int { streamCount.load(ordering: .relaxed) }

    /// What APNs was asked and what it has said since the start.
    package struct Totals: Hashable, Sendable {
        /// Pushes put on the wire.
        package var attempts: UInt64
        /// Answers, the most frequent first.
        package var answers: [ServerStatistics.AnswerCount]
    }

    /// What APNs was asked and what it has said since the start.
    package var totals: Totals {
        let others = answers.withLock { $0.mapValues(\.count) }
        let delivered = ServerStatistics.AnswerCount(
            status: 200, reason: "", count: deliveredCount.load(ordering: .relaxed))
        let rows = others.map { ServerStatistics.AnswerCount(status: $0.status, reason: $0.reason, count: $1) }
        return Totals(
            attempts: submittedCount.load(ordering: .relaxed),
            answers: (rows + (delivered.count > 0 ? [delivered] : [])).sorted {
                ($1.count, $0.status, $0.reason) < ($0.count, $1.status, $1.reason)
            })
    }

    /// A connection takes so many more pushes at once, or fewer.
    func streamsChanged(by difference: Int) {
        streamCount.wrappingAdd(difference, ordering: .relaxed)
    }

    func submitted(_ count: Int) {
        attempts.increment(by: count)
        submittedCount.wrappingAdd(UInt64(max(0, count)), ordering: .relaxed)
        waiting.wrappingAdd(count, ordering: .relaxed)
    }

    /// - Parameters:
    ///   - count: deliveries given back.
    ///   - delivered: of these, answered with 200.
    func givenBack(_ count: Int, delivered: Int) {
        waiting.wrappingSubtract(count, ordering: .relaxed)
        guard delivered > 0 else { return }
        self.delivered.increment(by: delivered)
        deliveredCount.wrappingAdd(UInt64(delivered), ordering: .relaxed)
    }

    func connectionOpened() { opened.increment() }
    func connectionFailed() { failures.increment() }

    func answered(_ answer: Answer) {
        let key = Answered(status: answer.status, reason: answer.reason ?? "")
        answers.withLock { known in
            let isOneTooMany = known[key] == nil && known.count >= Self.answerLimit
            let key = isOneTooMany ? Answered(status: 0, reason: "other") : key
            known[key, default: (counter(key), 0)].count &+= 1
            known[key]?.counter.increment()
        }
    }

    private func counter(_ key: Answered) -> Counter {
        Counter(
            label: "carillon_apns_answers_total",
            dimensions: labels + [("status", key.status == 0 ? "other" : "\(key.status)"), ("reason", key.reason)],
            factory: factory)
    }

    /// An attempt that did not end its delivery.
    func ended(_ verdict: Verdict) {
        let kind: String? =
            switch verdict {
            case .delivered, .refused: nil
            case .notProcessed: "not-processed"
            case .unknown: "unknown"
            case .credentialRefused: "credential-refused"
            case .tryLater(.tokenThrottled, _): "token-throttled"
            case .tryLater(.serverBusy, _): "server-busy"
            }
        guard let kind else { return }
        let counter = retries.withLock { known in
            if let counter = known[kind] { return counter }
            let counter = Counter(
                label: "carillon_apns_retries_total", dimensions: labels + [("kind", kind)], factory: factory)
            known[kind] = counter
            return counter
        }
        counter.increment()
    }
}
