/// The items that could not be read since the start. Releases and sweeps skip them.
///
/// They are remembered even if the transaction is aborted, because the next one would fail at them again.
final class UnreadableItems {
    /// The most items that are remembered: about 1 MB.
    private static let limit = 10_000

    private var items: Set<UnreadableItem> = []
    private let report: @Sendable (String) -> Void

    /// - Parameter report: called once for each item.
    init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    /// Returns true if an item was found unreadable.
    func contains(_ item: UnreadableItem) -> Bool { !items.isEmpty && items.contains(item) }

    /// Remembers and reports an item. Returns false if it is known already, or if too many are.
    @discardableResult
    func insert(_ item: UnreadableItem, _ reason: String) -> Bool {
        guard items.count < Self.limit, items.insert(item).inserted else { return false }
        report("\(item): \(reason)")
        return true
    }

    /// Returns a handler of unreadable rows of a table that inserts them.
    func rowFault(of table: String) -> RowFault {
        { self.insert(.row(table: table, key: $0), $1) }
    }
}
