import CCarillonLMDB

/// The sizes of databases, and checks of keys and pages.
extension Transaction where Self: ~Copyable {
    /// Returns the size of a database, without reading it.
    package func size(of database: Database) throws(LMDBError) -> DatabaseSize {
        var stat = MDB_stat()
        try LMDBError.check(mdb_stat(handle, database.id, &stat), "mdb_stat")
        return DatabaseSize(
            entries: stat.ms_entries, pages: stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages)
    }

    /// Returns true if going through a database meets as many keys as LMDB has counted, each above the one before.
    ///
    /// - Throws: a failed read, wherever it happens.
    package func isInOrder(_ database: Database) throws -> Bool {
        var previous: [UInt8] = []
        var count = 0
        var isAscending = true
        try forEach(in: database, prefix: [UInt8]().span) { key, _ in
            isAscending = isAscending && previous.span.isBelow(key)
            previous.removeAll(keepingCapacity: true)
            for index in 0..<key.count { previous.append(key[index]) }
            count += 1
            return isAscending ? .proceed : .stop
        }
        return try isAscending && count == self.count(in: database)
    }
}

extension LMDBEnvironment {
    /// Counts the pages of the file, for an LMDB environment without a writer; `databases` must be all of its
    /// databases.
    package func countPages(of databases: [Database]) throws -> PageCounts {
        let allocated = try space().usedPages
        let free = try countFreePages()
        return try read { transaction in
            // The free list, and the database of the names of databases.
            var inTrees = 2
            for database in [Database(id: 0), Database(id: 1)] + databases {
                inTrees += try transaction.size(of: database).pages
            }
            return PageCounts(allocated: allocated, inTrees: inTrees, free: free)
        }
    }
}

/// The size of a database in the file.
package struct DatabaseSize: Hashable, Sendable {
    /// The number of keys, as LMDB counts them.
    package var entries: Int
    /// The number of pages of its tree, and of the long values, which have pages of their own.
    package var pages: Int
}

/// The counts of the pages of a file. Each page is in one tree, or free: if the file is sound, ``inTrees`` and ``free``
/// are together ``allocated``.
package struct PageCounts: Hashable, Sendable {
    /// The number of pages from the start of the file to the last one ever used.
    package var allocated: Int
    /// The number of the two meta pages and the pages of all trees.
    package var inTrees: Int
    /// The number of pages in the free list.
    package var free: Int
}
