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

    private let factory: any MetricsFactory
    private let ended = Mutex<[Ended: Counter]>([:])
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
        counter(Ended(opcode: opcode, code: code)).increment()
        timer(opcode).recordNanoseconds(Int64(clamping: nanoseconds))
    }

    private func counter(_ key: Ended) -> Counter {
        ended.withLock { known in
            if let counter = known[key] { return counter }
            let counter = Counter(
                label: "carillon_requests_total",
                dimensions: [("operation", key.opcode.operation), ("result", key.code?.name ?? "ok")],
                factory: factory)
            known[key] = counter
            return counter
        }
    }

    private func timer(_ opcode: Opcode) -> Timer {
        durations.withLock { known in
            if let timer = known[opcode] { return timer }
            let timer = Timer(
                label: "carillon_request_seconds", dimensions: [("operation", opcode.operation)], factory: factory)
            known[opcode] = timer
            return timer
        }
    }
}

extension Opcode {
    private static let operations: [Opcode: String] = [
        .hello: "hello", .authenticate: "authenticate", .register: "register", .registerBatch: "register-batch",
        .unregister: "unregister", .lookup: "lookup", .updateDevice: "update-device", .memberships: "memberships",
        .join: "join", .leave: "leave", .switchGroup: "switch-group", .groupDevices: "group-devices",
        .groups: "groups", .updateGroup: "update-group", .groupTopics: "group-topics", .subscribe: "subscribe",
        .unsubscribe: "unsubscribe", .topics: "topics", .topicDevices: "topic-devices", .explain: "explain",
        .send: "send", .messageStatus: "message-status", .messageOutcomes: "message-outcomes", .messages: "messages",
        .steer: "steer", .resend: "resend", .restore: "restore", .quarantine: "quarantine",
        .subscribeEvents: "subscribe-events", .eventCredit: "event-credit",
        .unsubscribeEvents: "unsubscribe-events", .receipts: "receipts", .receiptDevices: "receipt-devices",
    ]

    /// The label of metrics.
    var operation: String { Self.operations[self] ?? "opcode-\(rawValue)" }
}
