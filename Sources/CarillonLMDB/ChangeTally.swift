import CCarillonLMDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Counts the keys that a write transaction has changed in each database, to estimate its memory: LMDB keeps every
/// changed page in memory until the commit, and does not say how many there are.
struct ChangeTally {
    /// Changed keys by the number of the database.
    private var counts: [Int] = []
    /// Pages of long values that were put, by the number of the database.
    private var longPages: [Int] = []

    /// A value from about this length on has pages of its own: at least two rows must fit a page.
    private static let longValueBytes = 2_000
    private static let pageBytes = 4_096

    /// Adds keys that are put or deleted.
    ///
    /// - Parameter valueBytes: the bytes of the value that is put.
    @inline(__always)
    mutating func add(_ database: Database, count: Int = 1, valueBytes: Int = 0) {
        let index = Int(database.id)
        if index >= counts.count {
            counts += Array(repeating: 0, count: index + 1 - counts.count)
            longPages += Array(repeating: 0, count: index + 1 - longPages.count)
        }
        counts[index] &+= count
        if valueBytes >= Self.longValueBytes { longPages[index] &+= valueBytes / Self.pageBytes + 1 }
    }

    /// The estimated number of changed pages, for random keys; fewer if keys are neighbours.
    func pages(in transaction: OpaquePointer) throws(LMDBError) -> Int {
        var sum = 0
        for (index, count) in counts.enumerated() where count > 0 {
            var stat = MDB_stat()
            try LMDBError.check(mdb_stat(transaction, MDB_dbi(index), &stat), "mdb_stat")
            sum += Self.pages(with: count, of: stat.ms_leaf_pages) + Self.pages(with: count, of: stat.ms_branch_pages)
            // A value that is put again has the same pages.
            sum += min(longPages[index], stat.ms_overflow_pages)
        }
        return sum
    }

    /// The expected number of `all` pages that `keys` random keys touch.
    static func pages(with keys: Int, of all: Int) -> Int {
        all == 0 ? 0 : Int((Double(all) * (1 - exp(-Double(keys) / Double(all)))).rounded(.up))
    }
}
