import CarillonCore

/// The items that could not be read since the start. Releases and sweeps skip them.
///
/// They are remembered even if the transaction is aborted, because the next one would fail at them again.
final class UnreadableItems {
    /// The most items that are remembered: about 1 MB.
    private static let maximumItems = 10_000

    private var items: Set<UnreadableItem> = []
    private let report: @Sendable (String) -> Void
    /// True if the last sweep has failed at an item that was not known before, and that the next sweep skips.
    private(set) var hasNewItemOfSweep = false

    /// Makes a set without items.
    ///
    /// - Parameter report: called once with the description of each item that is remembered.
    init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    func contains(_ item: UnreadableItem) -> Bool { !items.isEmpty && items.contains(item) }

    /// Remembers and reports an item, unless it is known already, or too many are; returns true if it did.
    @discardableResult
    func insert(_ item: UnreadableItem, because reason: String) -> Bool {
        guard items.count < Self.maximumItems, items.insert(item).inserted else { return false }
        report("\(item): \(reason)")
        return true
    }

    func sweepBegan() { hasNewItemOfSweep = false }

    /// Notes the item at which a sweep has failed, so that the next sweep skips it.
    func sweepFailed(at item: UnreadableItem, because reason: String) {
        hasNewItemOfSweep = insert(item, because: reason)
    }

    /// Returns a handler that inserts each unreadable row of a table.
    func rowFault(of table: String) -> RowFault {
        { self.insert(.row(table: table, key: $0), because: $1) }
    }
}

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
