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
    private let answers = Mutex<[Answered: Counter]>([:])
    private let retries = Mutex<[String: Counter]>([:])
    private let waiting = Atomic<Int>(0)

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

    func submitted(_ count: Int) {
        attempts.increment(by: count)
        waiting.wrappingAdd(count, ordering: .relaxed)
    }

    /// - Parameters:
    ///   - count: deliveries given back.
    ///   - delivered: of these, answered with 200.
    func givenBack(_ count: Int, delivered: Int) {
        waiting.wrappingSubtract(count, ordering: .relaxed)
        if delivered > 0 { self.delivered.increment(by: delivered) }
    }

    func connectionOpened() { opened.increment() }
    func connectionFailed() { failures.increment() }

    func answered(_ answer: Answer) {
        let key = Answered(status: answer.status, reason: answer.reason ?? "")
        counter(key).increment()
    }

    private func counter(_ key: Answered) -> Counter {
        answers.withLock { known in
            if let counter = known[key] { return counter }
            let isOneTooMany = known.count >= Self.answerLimit
            let key = isOneTooMany ? Answered(status: 0, reason: "other") : key
            if let counter = known[key] { return counter }
            let status = isOneTooMany ? "other" : "\(key.status)"
            let counter = Counter(
                label: "carillon_apns_answers_total",
                dimensions: labels + [("status", status), ("reason", key.reason)], factory: factory)
            known[key] = counter
            return counter
        }
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
