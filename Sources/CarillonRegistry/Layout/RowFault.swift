import CarillonCore

/// What is done about a row that cannot be read: given are its key and what is wrong with it.
typealias RowFault = (_ key: [UInt8], _ reason: String) -> Void

/// What `read` makes of the row of `key`; nil if it cannot be read and `onUnreadable` was told. Without `onUnreadable`
/// that is an error.
func readRow<Row>(_ key: Span<UInt8>, onUnreadable: RowFault?, _ read: () throws -> Row) throws -> Row? {
    do {
        return try read()
    } catch RegistryError.corrupted(let reason) {
        guard let onUnreadable else { throw RegistryError.corrupted(reason) }
        onUnreadable(key.indices.map { key[$0] }, reason)
        return nil
    }
}
