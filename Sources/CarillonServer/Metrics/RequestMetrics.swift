import CarillonCore
import CarillonWire
import CoreMetrics
import Synchronization

/// Counts requests by operation and result, and measures how long they take.
final class RequestMetrics: Sendable {
    private struct Failed: Hashable {
        var opcode: Opcode
        var code: ErrorCode
    }

    /// Of one operation: how long it takes, and how often it succeeded.
    private struct Meters {
        var duration: Timer
        var succeeded: Counter
    }

    private let factory: any MetricsFactory
    /// By the number of the opcode, which spares each request two look-ups in tables.
    private let meters = Mutex<[Meters?]>([])
    private let failed = Mutex<[Failed: Counter]>([:])
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
    /// - Parameters:
    ///   - opcode: one that is served: their number bounds the tables.
    ///   - code: of the error, if it was one; only the server makes them, so their number is bounded.
    func answered(_ opcode: Opcode, _ code: ErrorCode?, nanoseconds: UInt64) {
        let meters = meters(of: opcode)
        meters.duration.recordNanoseconds(Int64(clamping: nanoseconds))
        guard let code else { return meters.succeeded.increment() }
        counter(Failed(opcode: opcode, code: code)).increment()
    }

    private func meters(of opcode: Opcode) -> Meters {
        let index = Int(opcode.rawValue)
        return meters.withLock { known in
            if index < known.count, let meters = known[index] { return meters }
            let meters = Meters(
                duration: Timer(
                    label: "carillon_request_seconds", dimensions: [("operation", opcode.operation)], factory: factory),
                succeeded: counter(opcode, result: "ok"))
            if index >= known.count { known += Array(repeating: nil, count: index + 1 - known.count) }
            known[index] = meters
            return meters
        }
    }

    private func counter(_ key: Failed) -> Counter {
        failed.withLock { known in
            if let counter = known[key] { return counter }
            let counter = counter(key.opcode, result: key.code.name)
            known[key] = counter
            return counter
        }
    }

    private func counter(_ opcode: Opcode, result: String) -> Counter {
        Counter(
            label: "carillon_requests_total", dimensions: [("operation", opcode.operation), ("result", result)],
            factory: factory)
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
