import CCarillonLMDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How many keys a write transaction has changed in each database, and so how much memory it takes: LMDB keeps every page that is
/// changed in memory until the commit, and does not say how many these are.
struct ChangeTally {
    /// By the number of the database.
    private var counts: [Int] = []

    /// Takes note of keys that are put or deleted.
    @inline(__always)
    mutating func note(_ database: Database, count: Int = 1) {
        let index = Int(database.id)
        if index >= counts.count { counts += Array(repeating: 0, count: index + 1 - counts.count) }
        counts[index] &+= count
    }

    /// Pages that so many keys lie on if they lie anywhere; fewer if they are neighbours.
    func pages(in transaction: OpaquePointer) throws(LMDBError) -> Int {
        var sum = 0
        for (index, count) in counts.enumerated() where count > 0 {
            var stat = MDB_stat()
            try LMDBError.check(mdb_stat(transaction, MDB_dbi(index), &stat), "mdb_stat")
            sum += Self.pages(with: count, of: stat.ms_leaf_pages) + Self.pages(with: count, of: stat.ms_branch_pages)
        }
        return sum
    }

    /// How many of `all` pages are met by so many keys, each of which lies on any of them.
    static func pages(with keys: Int, of all: Int) -> Int {
        all == 0 ? 0 : Int((Double(all) * (1 - exp(-Double(keys) / Double(all)))).rounded(.up))
    }
}
