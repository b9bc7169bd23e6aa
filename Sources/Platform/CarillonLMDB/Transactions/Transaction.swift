import CCarillonLMDB

/// The operations of reads and writes: lookups and iteration.
///
/// A function that takes `borrowing some Transaction & ~Copyable` serves both. Keys and values come as spans over the
/// map: the compiler keeps them from leaving the closure they are given to.
package protocol Transaction: ~Copyable {
    /// The handle of LMDB, for this module alone.
    var handle: OpaquePointer { get }
}

extension Transaction where Self: ~Copyable {
    /// The number of the transaction. A write has the number of its commit, one more than the commit before has; a
    /// snapshot has the number of the last commit that it shows.
    package var number: UInt64 { UInt64(mdb_txn_id(handle)) }

    /// Calls `body` with the value of `key`, in place, and returns its result; nil if the key has no value.
    ///
    /// - Throws: `.badValueSize` for a key outside 1...511 bytes; what `body` throws.
    @inlinable
    package func get<R>(_ key: Span<UInt8>, in database: Database, _ body: (Span<UInt8>) throws -> R) throws -> R? {
        guard let value = try find(key, in: database, transaction: handle) else { return nil }
        return try body(value.span)
    }

    /// Returns a copy of the value of `key`; nil if the key has no value.
    @inlinable
    package func get(_ key: Span<UInt8>, in database: Database) throws(LMDBError) -> [UInt8]? {
        try find(key, in: database, transaction: handle).map(Array.init)
    }

    @inlinable
    package func contains(_ key: Span<UInt8>, in database: Database) throws(LMDBError) -> Bool {
        try find(key, in: database, transaction: handle) != nil
    }

    /// Returns the number of keys in the database, without counting.
    package func count(in database: Database) throws(LMDBError) -> Int {
        var stat = MDB_stat()
        try LMDBError.check(mdb_stat(handle, database.id, &stat), "mdb_stat")
        return stat.ms_entries
    }

    /// Returns the number of pages with rows in the database, without counting.
    package func leafPages(in database: Database) throws(LMDBError) -> Int {
        var stat = MDB_stat()
        try LMDBError.check(mdb_stat(handle, database.id, &stat), "mdb_stat")
        return stat.ms_leaf_pages
    }
}

/// Returns the bytes of a value in the map; valid until the next change or the end of the transaction.
@usableFromInline
func find(
    _ key: Span<UInt8>, in database: Database, transaction: OpaquePointer
) throws(LMDBError) -> UnsafeBufferPointer<UInt8>? {
    try checkKey(key, for: "mdb_get")
    var value = MDB_val()
    let result = key.withUnsafeBufferPointer { bytes in
        var key = MDB_val(bytes)
        return mdb_get(transaction, database.id, &key, &value)
    }
    if result == MDB_NOTFOUND { return nil }
    try LMDBError.check(result, "mdb_get")
    return value.buffer
}

/// Throws if a key that is only looked up has a length that LMDB does not take: LMDB itself does not check that.
@inline(__always)
func checkKey(_ key: Span<UInt8>, for operation: @autoclosure () -> String) throws(LMDBError) {
    if !Database.keyBytes.contains(key.count) { throw LMDBError(.badValueSize, operation: operation()) }
}

extension MDB_val {
    // Safety: LMDB does not write to keys and values that it is given, although its field is not declared const.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var buffer: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: mv_data?.assumingMemoryBound(to: UInt8.self), count: mv_data == nil ? 0 : mv_size)
    }
}
