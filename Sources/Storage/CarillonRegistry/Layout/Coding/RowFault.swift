import CarillonCore

/// A handler of a row that cannot be read, called with its key and the reason.
typealias RowFault = (_ key: [UInt8], _ reason: String) -> Void

/// Returns the result of `read` for the row of `key`; nil if the row cannot be read, after a call of `onUnreadable`.
/// Without `onUnreadable` an unreadable row is an error.
func readRow<Row>(_ key: Span<UInt8>, onUnreadable: RowFault?, _ read: () throws -> Row) throws -> Row? {
    do {
        return try read()
    } catch RegistryError.corrupted(let reason) {
        guard let onUnreadable else { throw RegistryError.corrupted(reason) }
        onUnreadable(key.indices.map { key[$0] }, reason)
        return nil
    }
}
