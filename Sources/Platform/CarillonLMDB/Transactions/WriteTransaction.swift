import CCarillonLMDB
import Glibc

/// A write transaction inside ``LMDBEnvironment/write(_:)``.
///
/// A change moves bytes, also those that the closure of a `get`, a `forEach` or a cursor reads. So changing methods are
/// `mutating`, and a change inside such a closure of the same transaction does not compile. Collect the keys first,
/// then change.
///
/// After a change has thrown anything but `.keyExists` or `.badValueSize` the transaction can only abort: let the error
/// out.
package struct WriteTransaction: Transaction, ~Copyable {
    package let handle: OpaquePointer
    private var tally = ChangeTally()

    @usableFromInline
    init(handle: OpaquePointer) {
        self.handle = handle
    }

    /// The rule of `put` for keys that exist.
    package enum PutMode: Sendable {
        /// The value takes the place of an older one.
        case replace
        /// The key must be new: `.keyExists` otherwise, and nothing is changed.
        case insert
        /// The key must be above all others, and is put quickly and with full pages: `.keyExists` otherwise.
        case append

        var flags: CUnsignedInt {
            switch self {
            case .replace: 0
            case .insert: CUnsignedInt(MDB_NOOVERWRITE)
            case .append: CUnsignedInt(MDB_APPEND)
            }
        }
    }

    /// Sets the value of `key`.
    ///
    /// - Throws: `.mapFull`, `.transactionFull`, `.badValueSize`, and `.keyExists` as `mode` says.
    package mutating func put(
        _ value: Span<UInt8>, for key: Span<UInt8>, in database: Database, mode: PutMode = .replace
    ) throws(LMDBError) {
        try checkKey(key, for: "mdb_put")
        tally.add(key, valueBytes: value.count, to: database)
        let result = key.withUnsafeBufferPointer { key in
            value.withUnsafeBufferPointer { value in
                var key = MDB_val(key)
                var value = MDB_val(value)
                return mdb_put(handle, database.id, &key, &value, mode.flags)
            }
        }
        try LMDBError.check(result, "mdb_put")
    }

    /// Removes `key`; returns false if it was not there.
    @discardableResult
    package mutating func delete(_ key: Span<UInt8>, in database: Database) throws(LMDBError) -> Bool {
        try checkKey(key, for: "mdb_del")
        tally.add(database)
        let result = key.withUnsafeBufferPointer { bytes in
            var key = MDB_val(bytes)
            return mdb_del(handle, database.id, &key, nil)
        }
        if result == MDB_NOTFOUND { return false }
        try LMDBError.check(result, "mdb_del")
        return true
    }

    /// Calls `body` with a cursor for changes that come in the order of the keys. In any other order the result is
    /// right too, but no quicker than with the methods of the transaction.
    ///
    /// - Parameter changedPages: the pages that the changes will change, if the caller knows how the keys are spread;
    ///   nil if they may stand anywhere.
    /// - Throws: a failed opening; what `body` throws.
    @inlinable
    package mutating func withWriteCursor<R>(
        in database: Database, changedPages: Int? = nil, _ body: (inout WriteCursor) throws -> R
    ) throws -> R {
        var cursor = try WriteCursor(in: handle, of: database)
        defer { countChanges(cursor.changes, pages: changedPages, of: database) }
        return try body(&cursor)
    }

    @usableFromInline
    mutating func countChanges(_ count: Int, pages: Int?, of database: Database) {
        if let pages { tally.add(pages: pages, to: database) } else { tally.add(database, count: count) }
    }

    /// Counts a change that the caller keeps in memory and makes before the commit. ``changedPages()`` includes its
    /// page from now on.
    package mutating func countFutureChange(of database: Database) { tally.add(database) }

    /// Estimates the pages that the transaction has changed, and holds in memory until its end. The estimate is rather
    /// too high than too low.
    package func changedPages() throws(LMDBError) -> Int { try tally.pages(in: handle) }

    /// Calls `body` with a snapshot that contains the changes of the transaction so far. No other thread may use it.
    package func withSnapshot<R>(_ body: (borrowing ReadTransaction) throws -> R) rethrows -> R {
        try body(ReadTransaction(handle: handle))
    }
}
