import CarillonCore
import CarillonWire
import CoreMetrics
import Synchronization

/// The numbers of requests by operation and result, and their durations.
final class RequestMetrics: Sendable {
    private struct Failure: Hashable {
        var opcode: Opcode
        var code: ErrorCode
    }

    /// The duration and the successful requests of one operation.
    private struct Meters {
        let duration: Timer
        var succeeded: Total
    }

    /// All requests of one operation with one result.
    private struct Total {
        let counter: Counter
        private(set) var count: UInt64 = 0
        private(set) var nanoseconds: UInt64 = 0

        init(_ counter: Counter) {
            self.counter = counter
        }

        mutating func add(_ nanoseconds: UInt64, count: UInt64) {
            self.count &+= count
            self.nanoseconds &+= nanoseconds
            counter.increment(by: count)
        }
    }

    private struct EndedRequests {
        /// The meters by the number of the opcode: no request needs a lookup in a hash table.
        var meters: [Meters?] = []
        var failures: [Failure: Total] = [:]
    }

    private let factory: any MetricsFactory
    private let ended = Mutex(EndedRequests())
    private let refusedKeys: Counter
    private let refusedConnections: Counter
    private let displacedConnections: Counter
    let acceptances: AcceptanceMetrics

    init(factory: any MetricsFactory) {
        self.factory = factory
        refusedKeys = Counter(label: "carillon_authentication_failures_total", factory: factory)
        refusedConnections = Counter(label: "carillon_client_refusals_total", factory: factory)
        displacedConnections = Counter(label: "carillon_client_displacements_total", factory: factory)
        acceptances = AcceptanceMetrics(factory: factory)
    }

    /// Counts an AUTH with a key that was refused.
    func keyRefused() { refusedKeys.increment() }
    /// Counts a connection that was refused because there were too many.
    func connectionRefused() { refusedConnections.increment() }
    /// Counts a half-open connection that was closed to make room for a new one.
    func connectionDisplaced() { displacedConnections.increment() }

    /// Returns the counter of the requests of a principal. The file of principals bounds the number of counters.
    func requests(of principal: Principal) -> Counter {
        Counter(
            label: "carillon_principal_requests_total", dimensions: [("principal", principal.name)], factory: factory)
    }

    /// Counts requests that were answered with the same result after the same time.
    ///
    /// - Parameters:
    ///   - opcode: one that is served: their number bounds the tables.
    ///   - code: the code of the error; nil for success. Only the server makes codes, so their number is bounded.
    func requestAnswered(_ opcode: Opcode, error code: ErrorCode?, nanoseconds: UInt64, count: UInt64 = 1) {
        ended.withLock { ended in
            let index = meterIndex(of: opcode, &ended)
            if let timer = ended.meters[index]?.duration {
                for _ in 0..<count { timer.recordNanoseconds(Int64(clamping: nanoseconds)) }
            }
            if let code {
                let key = Failure(opcode: opcode, code: code)
                ended.failures[key, default: Total(counter(opcode, result: code.name))]
                    .add(nanoseconds &* count, count: count)
            } else {
                ended.meters[index]?.succeeded.add(nanoseconds &* count, count: count)
            }
        }
    }

    /// Counts requests that were answered without an error.
    ///
    /// - Parameter nanoseconds: the duration of each.
    func requestsSucceeded(_ opcode: Opcode, nanoseconds: [UInt64]) {
        ended.withLock { ended in
            let index = meterIndex(of: opcode, &ended)
            guard let timer = ended.meters[index]?.duration else { return }
            var sum: UInt64 = 0
            for duration in nanoseconds {
                timer.recordNanoseconds(Int64(clamping: duration))
                sum &+= duration
            }
            ended.meters[index]?.succeeded.add(sum, count: UInt64(nanoseconds.count))
        }
    }

    /// Returns the index of the meters of an operation, which are made for its first request.
    private func meterIndex(of opcode: Opcode, _ ended: inout EndedRequests) -> Int {
        let index = Int(opcode.rawValue)
        if index >= ended.meters.count {
            ended.meters += Array(repeating: nil, count: index + 1 - ended.meters.count)
        }
        if ended.meters[index] == nil { ended.meters[index] = meters(of: opcode) }
        return index
    }

    private func meters(of opcode: Opcode) -> Meters {
        Meters(
            duration: Timer(
                label: "carillon_request_seconds", dimensions: [("operation", opcode.name)], factory: factory),
            succeeded: Total(counter(opcode, result: "ok")))
    }

    private func counter(_ opcode: Opcode, result: String) -> Counter {
        Counter(
            label: "carillon_requests_total", dimensions: [("operation", opcode.name), ("result", result)],
            factory: factory)
    }

    /// The numbers of requests by operation and result, the most frequent first.
    var totals: [ServerStatistics.RequestCount] {
        let ended = ended.withLock { $0 }
        let succeeded = ended.meters.enumerated().compactMap { index, meters in
            meters.map { row(Opcode(rawValue: UInt16(index)), code: nil, total: $0.succeeded) }
        }
        let failed = ended.failures.map { key, total in row(key.opcode, code: key.code, total: total) }
        return (succeeded.filter { $0.count > 0 } + failed)
            .sorted { ($1.count, $0.opcode, $0.error?.rawValue ?? 0) < ($0.count, $1.opcode, $1.error?.rawValue ?? 0) }
    }

    private func row(_ opcode: Opcode, code: ErrorCode?, total: Total) -> ServerStatistics.RequestCount {
        ServerStatistics.RequestCount(
            opcode: opcode.rawValue, error: code, count: total.count, microseconds: total.nanoseconds / 1_000)
    }
}

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

    /// Counts a message that was accepted. Duplicates are not counted.
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
            // An app that shares the series `other` is not kept, so that the table stays small.
            if label != AppLabels.other { state.counters[queue] = counter }
            return counter
        }
    }
}
