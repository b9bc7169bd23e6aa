import CarillonCore
import CarillonWire
import CoreMetrics
import Synchronization

/// Counts requests by operation and result, and measures how long they take.
final class RequestMetrics: Sendable {
    private struct Ended: Hashable {
        var opcode: Opcode
        var code: ErrorCode?
    }

    /// All requests of one operation with one result.
    private struct Total {
        let counter: Counter
        private(set) var count: UInt64 = 0
        private(set) var nanoseconds: UInt64 = 0

        init(_ counter: Counter) {
            self.counter = counter
        }

        mutating func add(_ nanoseconds: UInt64) {
            count &+= 1
            self.nanoseconds &+= nanoseconds
            counter.increment()
        }
    }

    private let factory: any MetricsFactory
    private let ended = Mutex<[Ended: Total]>([:])
    private let durations = Mutex<[Opcode: Timer]>([:])
    private let refusedKeys: Counter
    private let refusedConnections: Counter

    init(factory: any MetricsFactory) {
        self.factory = factory
        refusedKeys = Counter(label: "carillon_authentication_failures_total", factory: factory)
        refusedConnections = Counter(label: "carillon_client_refusals_total", factory: factory)
    }

    func keyRefused() { refusedKeys.increment() }
    func connectionRefused() { refusedConnections.increment() }

    /// A request was answered.
    ///
    /// - Parameter code: of the error, if it was one; only the server makes them, so their number is bounded.
    func answered(_ opcode: Opcode, _ code: ErrorCode?, nanoseconds: UInt64) {
        let key = Ended(opcode: opcode, code: code)
        ended.withLock { $0[key, default: Total(counter(key))].add(nanoseconds) }
        timer(opcode).recordNanoseconds(Int64(clamping: nanoseconds))
    }

    private func counter(_ key: Ended) -> Counter {
        Counter(
            label: "carillon_requests_total",
            dimensions: [("operation", key.opcode.name), ("result", key.code?.name ?? "ok")],
            factory: factory)
    }

    private func timer(_ opcode: Opcode) -> Timer {
        durations.withLock { known in
            if let timer = known[opcode] { return timer }
            let timer = Timer(
                label: "carillon_request_seconds", dimensions: [("operation", opcode.name)], factory: factory)
            known[opcode] = timer
            return timer
        }
    }

    /// Requests by operation and result, the most frequent first.
    var totals: [ServerStatistics.RequestCount] {
        let totals = ended.withLock { $0 }
        return totals.map { key, total in
            ServerStatistics.RequestCount(
                opcode: key.opcode.rawValue, error: key.code, count: total.count,
                microseconds: total.nanoseconds / 1_000)
        }
        .sorted { ($1.count, $0.opcode, $0.error?.rawValue ?? 0) < ($0.count, $1.opcode, $1.error?.rawValue ?? 0) }
    }
}
