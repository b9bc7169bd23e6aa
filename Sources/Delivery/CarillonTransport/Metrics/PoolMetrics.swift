package import CarillonCore
import CarillonProvider
package import CoreMetrics
import Synchronization

/// The counters of a pool. A batch of pushes that go well costs a few additions, however many pushes it has. Every
/// other answer is counted by itself.
package final class PoolMetrics: Sendable {
    /// The most pairs of status and reason that are counted separately: their set is open, and a broken peer could
    /// invent any number of them.
    private static let maximumAnswers = 64

    /// A status with its reason, as answers are counted.
    private struct AnswerKey: Hashable {
        var status: UInt16
        var reason: String
    }

    private let labels: [(String, String)]
    private let prefix: String
    private let factory: any MetricsFactory
    private let attempts: Counter
    private let answers200: Counter
    private let opened: Counter
    private let failures: [ConnectionFailureCause: Counter]
    private let answers = Mutex<[AnswerKey: (counter: Counter, count: UInt64)]>([:])
    private let undecidedAttempts = Mutex<[String: Counter]>([:])
    private let inFlightCount = Atomic<Int>(0)
    private let submittedCount = Atomic<UInt64>(0)
    private let answered200Count = Atomic<UInt64>(0)
    private let streamCount = Atomic<Int>(0)
    private let connectionFailures = Mutex(ConnectionFailures())

    /// The attempts to connect that have failed.
    private struct ConnectionFailures {
        /// The number of failed attempts since the start of the server.
        var count: UInt64 = 0
        /// The latest failed attempt whose reason is known.
        var last: ServerStatistics.ConnectionFailure?
        /// The outage that began last. It is over if a connection takes pushes.
        var outage: ServerStatistics.Outage?
    }

    /// Makes the counters of a pool. Pools with one key share them: the pools of push services, and a pool that takes
    /// the place of another one.
    package init(_ key: PoolKey, factory: any MetricsFactory = MetricsSystem.factory) {
        labels = key.labels
        prefix = key.metricPrefix
        self.factory = factory
        attempts = Counter(label: prefix + "attempts_total", dimensions: labels, factory: factory)
        answers200 = Counter(
            label: prefix + "answers_total", dimensions: labels + [("status", "200"), ("reason", "")], factory: factory)
        opened = Counter(label: prefix + "connections_opened_total", dimensions: labels, factory: factory)
        let prefix = prefix
        let labels = labels
        failures = Dictionary(
            uniqueKeysWithValues: ConnectionFailureCause.all.map { cause in
                let dimensions = labels + [("cause", cause.rawValue)]
                let label = prefix + "connection_failures_total"
                return (cause, Counter(label: label, dimensions: dimensions, factory: factory))
            })
    }

    /// The number of pushes that are not answered.
    package var inFlight: Int { inFlightCount.load(ordering: .relaxed) }

    /// The number of streams that may be open at a time on the connections that take pushes.
    package var maximumStreams: Int { streamCount.load(ordering: .relaxed) }

    /// Attempts and answers since the start of the server.
    package struct Totals: Hashable, Sendable {
        package var attempts: UInt64
        /// The numbers of answers by kind, the most frequent first.
        package var answers: [ServerStatistics.AnswerCount]
        /// The number of attempts to connect that failed.
        package var failures: UInt64 = 0
        /// The latest failure whose reason is known; nil if none has failed with a known reason.
        package var lastFailure: ServerStatistics.ConnectionFailure?
        package var outage: ServerStatistics.Outage?
    }

    /// The present outage with its last failure: it begins with a failed attempt to connect, and is over when a
    /// connection takes pushes. Nil if there is no outage.
    package var outage: (outage: ServerStatistics.Outage, reason: String)? {
        guard maximumStreams <= 0 else { return nil }
        return connectionFailures.withLock { failures in failures.outage.map { ($0, failures.last?.reason ?? "") } }
    }

    /// The attempts and the answers since the start of the server.
    package var totals: Totals {
        let others = answers.withLock { $0.mapValues(\.count) }
        let with200 = ServerStatistics.AnswerCount(
            status: 200, reason: "", count: answered200Count.load(ordering: .relaxed))
        let rows = others.map { ServerStatistics.AnswerCount(status: $0.status, reason: $0.reason, count: $1) }
        let (failures, last) = connectionFailures.withLock { ($0.count, $0.last) }
        return Totals(
            attempts: submittedCount.load(ordering: .relaxed),
            answers: (rows + (with200.count > 0 ? [with200] : [])).sorted {
                ($1.count, $0.status, $0.reason) < ($0.count, $1.status, $1.reason)
            }, failures: failures, lastFailure: last, outage: outage?.outage)
    }

    /// Counts that a connection allows `difference` more streams at a time, or fewer if it is negative.
    func streamsChanged(by difference: Int) {
        streamCount.wrappingAdd(difference, ordering: .relaxed)
    }

    /// Counts pushes that a connection has pulled.
    func pushesPulled(_ count: Int) {
        attempts.increment(by: count)
        submittedCount.wrappingAdd(UInt64(max(0, count)), ordering: .relaxed)
        inFlightCount.wrappingAdd(count, ordering: .relaxed)
    }

    /// Counts results that were given back.
    ///
    /// - Parameters:
    ///   - count: results given back.
    ///   - answered200: of these, the ones answered with 200.
    func pushesCompleted(_ count: Int, answered200: Int) {
        inFlightCount.wrappingSubtract(count, ordering: .relaxed)
        guard answered200 > 0 else { return }
        answers200.increment(by: answered200)
        answered200Count.wrappingAdd(UInt64(answered200), ordering: .relaxed)
    }

    /// Counts a connection that takes pushes: the outage is over.
    func connectionOpened() {
        opened.increment()
        connectionFailures.withLock { $0.outage = nil }
    }

    func countFailedAttempt() { connectionFailures.withLock { $0.count &+= 1 } }

    /// Records why a connection was not made, or broke before it worked.
    func recordFailure(because error: any Error, at now: Timestamp) {
        let cause = ConnectionFault(error).cause
        failures[cause]?.increment()
        let failure = ServerStatistics.ConnectionFailure(at: now, reason: ConnectionFault(error).text)
        // A connection that is open takes the work: then this is no outage.
        let isOutage = maximumStreams <= 0
        connectionFailures.withLock { failures in
            failures.last = failure
            guard isOutage else { return failures.outage = nil }
            failures.outage = ServerStatistics.Outage(since: failures.outage?.since ?? now, cause: cause)
        }
    }

    /// Records the time of the next attempt to connect, for the outage; nil if it begins now.
    func setNextAttempt(_ time: Timestamp?) {
        connectionFailures.withLock { $0.outage?.nextAttemptAt = time }
    }

    func countAnswer(_ answer: ProviderAnswer) {
        let key = AnswerKey(status: answer.status, reason: answer.reason ?? "")
        answers.withLock { known in
            let isOneTooMany = known[key] == nil && known.count >= Self.maximumAnswers
            let key = isOneTooMany ? AnswerKey(status: 0, reason: "other") : key
            known[key, default: (counter(key), 0)].count &+= 1
            known[key]?.counter.increment()
        }
    }

    private func counter(_ key: AnswerKey) -> Counter {
        Counter(
            label: prefix + "answers_total",
            dimensions: labels + [("status", key.status == 0 ? "other" : "\(key.status)"), ("reason", key.reason)],
            factory: factory)
    }

    /// Counts attempts that did not end their deliveries; a verdict that ends them is not counted here.
    func countUndecided(_ verdict: Verdict, times: Int = 1) {
        let kind: String? =
            switch verdict {
            case .delivered, .refused: nil
            case .notProcessed: "not-processed"
            case .unknown: "unknown"
            case .credentialRefused: "credential-refused"
            case .tryLater(.throttled, _): "token-throttled"
            case .tryLater(.serverBusy, _): "server-busy"
            case .tryLater(.heldBack, _): "held-back"
            }
        guard let kind else { return }
        let counter = undecidedAttempts.withLock { known in
            if let counter = known[kind] { return counter }
            let counter = Counter(
                label: prefix + "undecided_attempts_total", dimensions: labels + [("kind", kind)], factory: factory)
            known[kind] = counter
            return counter
        }
        counter.increment(by: times)
    }
}

/// The names and the labels of the metrics of a pool.
extension PoolKey {
    package var labels: [(String, String)] {
        [("credential", credential), ("environment", destination.environment.name)]
    }

    /// The beginning of the names of a pool's series: each provider has its own.
    package var metricPrefix: String { "carillon_\(destination.provider.name)_" }
}
