import CCarillonLMDB

/// A cursor for changes of keys in ascending order, inside ``WriteTransaction/withWriteCursor(in:changedPages:_:)``:
/// from one key to its neighbour the tree is not descended.
@usableFromInline
package struct WriteCursor: ~Copyable {
    private let handle: OpaquePointer
    /// The number of keys that were put.
    @usableFromInline private(set) var changes = 0

    @usableFromInline
    init(in transaction: OpaquePointer, of database: Database) throws(LMDBError) {
        handle = try openCursor(in: transaction, of: database)
    }

    deinit {
        mdb_cursor_close(handle)
    }

    /// Calls `body` with the value of `key`, in place, and returns its result; nil if the key has no value.
    ///
    /// - Throws: as ``Transaction/get(_:in:_:)``.
    @inlinable
    package mutating func get<R>(_ key: Span<UInt8>, _ body: (Span<UInt8>) throws -> R) throws -> R? {
        guard let value = try find(key) else { return nil }
        return try body(value.span)
    }

    @usableFromInline
    mutating func find(_ key: Span<UInt8>) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
        try checkKey(key, for: "mdb_cursor_get")
        var value = MDB_val()
        let result = key.withUnsafeBufferPointer { bytes in
            var key = MDB_val(bytes)
            return mdb_cursor_get(handle, &key, &value, MDB_SET)
        }
        if result == MDB_NOTFOUND { return nil }
        try LMDBError.check(result, "mdb_cursor_get")
        return value.buffer
    }

    /// Sets the value of `key`.
    ///
    /// - Throws: as ``WriteTransaction/put(_:for:in:mode:)``.
    package mutating func put(_ value: Span<UInt8>, for key: Span<UInt8>) throws(LMDBError) {
        try checkKey(key, for: "mdb_cursor_put")
        changes += 1
        let result = key.withUnsafeBufferPointer { key in
            value.withUnsafeBufferPointer { value in
                var key = MDB_val(key)
                var value = MDB_val(value)
                return mdb_cursor_put(handle, &key, &value, 0)
            }
        }
        try LMDBError.check(result, "mdb_cursor_put")
    }
}
