import Glibc

/// The iteration over the keys of a database.
extension Transaction where Self: ~Copyable {
    /// Calls `body` with a cursor that is at no key.
    @inlinable
    package func withCursor<R>(in database: Database, _ body: (inout Cursor) throws -> R) throws -> R {
        var cursor = try Cursor(in: handle, of: database)
        return try body(&cursor)
    }

    /// Calls `body` for each key that begins with `prefix`, in order; an empty prefix means all.
    ///
    /// To read a long range in pages, each in its own transaction, give a `limit` and, as `after`, the last key of the
    /// page before.
    ///
    /// - Parameters:
    ///   - after: begins above this key, which must have the prefix but need not exist.
    ///   - limit: keys visited at most.
    /// - Returns: the number of keys visited: below `limit` if the range is exhausted or `body` stopped.
    /// - Throws: a failed read, wherever it happens; what `body` throws; `.invalidArgument` if `after` does not have
    ///   the prefix.
    @inlinable
    @discardableResult
    package func forEach(
        in database: Database,
        prefix: Span<UInt8>,
        after: Span<UInt8>? = nil,
        limit: Int = .max,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> IterationStep
    ) throws -> Int {
        var cursor = try Cursor(in: handle, of: database)
        var isFound: Bool
        if let after {
            guard after.hasPrefix(prefix) else { throw LMDBError(.invalidArgument, operation: "forEach") }
            isFound = try cursor.seek(after)
            if isFound && cursor.key.span.isEqual(to: after) { isFound = try cursor.moveToNext() }
        } else {
            isFound = try cursor.seek(prefix)
        }
        var visited = 0
        while isFound && visited < limit && cursor.key.span.hasPrefix(prefix) {
            visited += 1
            guard try body(cursor.key.span, cursor.value.span) == .proceed, visited < limit else { break }
            isFound = try cursor.moveToNext()
        }
        return visited
    }

    /// Calls `body` for each key in `from ..< upTo`, in order; an empty `from` means from the first, no `upTo` to the
    /// end.
    ///
    /// - Returns: the number of keys visited.
    /// - Throws: a failed read, wherever it happens; what `body` throws.
    @inlinable
    @discardableResult
    package func forEach(
        in database: Database,
        from: Span<UInt8>,
        upTo: Span<UInt8>? = nil,
        limit: Int = .max,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> IterationStep
    ) throws -> Int {
        var cursor = try Cursor(in: handle, of: database)
        var isFound = try cursor.seek(from)
        var visited = 0
        while isFound && visited < limit {
            if let upTo, !cursor.key.span.isBelow(upTo) { break }
            visited += 1
            guard try body(cursor.key.span, cursor.value.span) == .proceed, visited < limit else { break }
            isFound = try cursor.moveToNext()
        }
        return visited
    }
}

extension Span<UInt8> {
    @usableFromInline
    func hasPrefix(_ prefix: Span<UInt8>) -> Bool {
        prefix.count <= count && compareBytes(to: prefix, count: prefix.count) == 0
    }

    @usableFromInline
    func isEqual(to other: Span<UInt8>) -> Bool {
        count == other.count && compareBytes(to: other, count: count) == 0
    }

    /// Returns true if the key is before another in LMDB's order: bytes first, then the shorter key.
    @usableFromInline
    func isBelow(_ other: Span<UInt8>) -> Bool {
        let order = compareBytes(to: other, count: Swift.min(count, other.count))
        return order == 0 ? count < other.count : order < 0
    }

    private func compareBytes(to other: Span<UInt8>, count: Int) -> CInt {
        withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return 0 }
                return memcmp(mine, theirs, count)
            }
        }
    }
}

extension Transaction where Self: ~Copyable {
    /// Calls `body` with `count` cursors over one database, which are at no key; they are closed afterwards.
    package func withCursors<R>(
        _ database: Database,
        count: Int,
        _ body: (UnsafeMutableBufferPointer<Cursor>) throws -> R
    ) throws -> R {
        let cursors = UnsafeMutableBufferPointer<Cursor>.allocate(capacity: count)
        var opened = 0
        defer {
            for index in 0..<opened { cursors.deinitializeElement(at: index) }
            cursors.deallocate()
        }
        while opened < count {
            cursors.initializeElement(at: opened, to: try Cursor(in: handle, of: database))
            opened += 1
        }
        return try body(cursors)
    }
}
