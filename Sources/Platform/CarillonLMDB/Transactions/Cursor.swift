import CCarillonLMDB

/// A cursor of LMDB: it moves from key to key of a database, inside ``Transaction/withCursor(in:_:)``.
///
/// At first it is at no key. A move that finds no key returns false and leaves the cursor at no key; then only
/// `moveToFirst`, `moveToLast` and the seeks lead to one.
@usableFromInline
package struct Cursor: ~Copyable {
    private let handle: OpaquePointer

    @usableFromInline var key = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    @usableFromInline var value = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    /// True if the cursor is at a key.
    @usableFromInline package private(set) var isPositioned = false

    @usableFromInline
    init(in transaction: OpaquePointer, of database: Database) throws(LMDBError) {
        handle = try openCursor(in: transaction, of: database)
    }

    deinit {
        mdb_cursor_close(handle)
    }

    /// Goes to the lowest key.
    package mutating func moveToFirst() throws(LMDBError) -> Bool {
        try move(MDB_FIRST)
    }

    /// Goes to the highest key.
    package mutating func moveToLast() throws(LMDBError) -> Bool {
        try move(MDB_LAST)
    }

    /// Goes to the lowest key at or above `key`, which may be empty.
    package mutating func seek(_ key: Span<UInt8>) throws(LMDBError) -> Bool {
        if key.isEmpty { return try moveToFirst() }
        try checkKey(key, for: "mdb_cursor_get")
        return try key.withUnsafeBufferPointer { bytes throws(LMDBError) in
            try move(MDB_SET_RANGE, from: MDB_val(bytes))
        }
    }

    /// Goes to the highest key below `bound`.
    package mutating func seekBelow(_ bound: Span<UInt8>) throws(LMDBError) -> Bool {
        if bound.isEmpty {
            isPositioned = false
            return false
        }
        return try seek(bound) ? try moveToPrevious() : try moveToLast()
    }

    package mutating func moveToNext() throws(LMDBError) -> Bool {
        isPositioned ? try move(MDB_NEXT) : false
    }

    package mutating func moveToPrevious() throws(LMDBError) -> Bool {
        isPositioned ? try move(MDB_PREV) : false
    }

    /// Calls `body` with the current key and value, and returns its result; nil if the cursor is at no key.
    @inlinable
    package func withCurrent<R>(_ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> R) rethrows -> R? {
        guard isPositioned else { return nil }
        return try body(key.span, value.span)
    }

    private mutating func move(_ operation: MDB_cursor_op, from start: MDB_val = MDB_val()) throws(LMDBError) -> Bool {
        var foundKey = start
        var foundValue = MDB_val()
        let result = mdb_cursor_get(handle, &foundKey, &foundValue, operation)
        isPositioned = result == MDB_SUCCESS
        if result == MDB_NOTFOUND { return false }
        try LMDBError.check(result, "mdb_cursor_get")
        key = foundKey.buffer
        value = foundValue.buffer
        return true
    }
}

/// Opens a cursor of LMDB, which the caller closes.
func openCursor(in transaction: OpaquePointer, of database: Database) throws(LMDBError) -> OpaquePointer {
    var cursor: OpaquePointer?
    try LMDBError.check(mdb_cursor_open(transaction, database.id, &cursor), "mdb_cursor_open")
    guard let cursor else { throw LMDBError(.outOfMemory, operation: "mdb_cursor_open") }
    return cursor
}
