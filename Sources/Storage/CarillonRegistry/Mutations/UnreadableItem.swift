import CarillonCore

/// An item that releases and sweeps skip, because they found it unreadable.
enum UnreadableItem: Hashable, CustomStringConvertible {
    case scheduled(MessageID)
    case expiring(Expiring)
    case row(table: String, key: [UInt8])
    /// A whole step of a sweep.
    case step(String)

    var description: String {
        switch self {
        case .scheduled(let message): "scheduled message \(message)"
        case .expiring(.message(let message)): "retention of message \(message)"
        case .expiring(.quarantined(let app, let device)): "retention of device \(device) of app number \(app)"
        case .expiring(.tombstone): "retention of a tombstone"
        case .expiring(.idempotencyKey): "retention of an idempotency key"
        case .row(let table, _): "a row of \(table)"
        case .step(let step): "retention of \(step)"
        }
    }
}
