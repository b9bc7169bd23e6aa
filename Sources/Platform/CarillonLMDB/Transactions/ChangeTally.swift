import CCarillonLMDB
import Glibc

/// Counts the keys that a write transaction has changed in each database, to estimate its memory: LMDB keeps every
/// changed page in memory until the commit, and does not say how many there are.
struct ChangeTally {
    /// The changes in one database.
    private struct Changes {
        /// The number of changed keys that may be on any page.
        var keys = 0
        /// The bytes of the rows whose keys follow closely on the key that was put before: most share its page.
        var consecutiveRowBytes = 0
        /// The number of pages with rows that the caller has counted.
        var pages = 0
        /// The number of pages of long values that were put.
        var longPages = 0
        /// The last key that was put.
        var last = KeyEnd()
    }

    private var changes: [Changes] = []

    /// Roughly the smallest value, in bytes, that gets pages of its own: at least two rows must fit a page.
    private static let minimumLongValueBytes = 2_000
    private static let pageBytes = 4_096
    /// The number of bytes that LMDB needs for each row.
    private static let rowBytes = 10

    /// Adds keys that are changed anywhere.
    @inline(__always)
    mutating func add(_ database: Database, count: Int = 1) {
        changes[findOrAddIndex(of: database)].keys &+= count
    }

    /// Adds pages with rows that are changed.
    mutating func add(pages: Int, to database: Database) {
        changes[findOrAddIndex(of: database)].pages &+= pages
    }

    /// Adds a key that is put with a value of `valueBytes` bytes.
    @inline(__always)
    mutating func add(_ key: Span<UInt8>, valueBytes: Int, to database: Database) {
        let index = findOrAddIndex(of: database)
        let end = KeyEnd(key)
        if end.follows(changes[index].last) {
            changes[index].consecutiveRowBytes &+=
                key.count + min(valueBytes, Self.minimumLongValueBytes) + Self.rowBytes
        } else {
            changes[index].keys &+= 1
        }
        changes[index].last = end
        if valueBytes >= Self.minimumLongValueBytes { changes[index].longPages &+= valueBytes / Self.pageBytes + 1 }
    }

    @inline(__always)
    private mutating func findOrAddIndex(of database: Database) -> Int {
        let index = Int(database.id)
        if index >= changes.count { changes += Array(repeating: Changes(), count: index + 1 - changes.count) }
        return index
    }

    /// Estimates the number of changed pages: of keys anywhere as if they were random, of consecutive rows as if
    /// their pages were half full.
    func pages(in transaction: OpaquePointer) throws(LMDBError) -> Int {
        var sum = 0
        for (index, changes) in changes.enumerated() where changes.keys > 0 || changes.pages > 0 {
            var stat = MDB_stat()
            try LMDBError.check(mdb_stat(transaction, MDB_dbi(index), &stat), "mdb_stat")
            sum += Self.expectedPages(touchedBy: changes.keys, of: stat.ms_leaf_pages)
            sum += Self.expectedPages(touchedBy: changes.keys, of: stat.ms_branch_pages)
            sum += min(changes.consecutiveRowBytes / (Self.pageBytes / 2), stat.ms_leaf_pages + stat.ms_branch_pages)
            sum += min(changes.pages, stat.ms_leaf_pages + stat.ms_branch_pages)
            // A value that is put again has the same pages.
            sum += min(changes.longPages, stat.ms_overflow_pages)
        }
        return sum
    }

    /// Returns the expected number of `all` pages that `keys` random keys touch.
    static func expectedPages(touchedBy keys: Int, of all: Int) -> Int {
        all == 0 ? 0 : Int((Double(all) * (1 - exp(-Double(keys) / Double(all)))).rounded(.up))
    }
}

/// The end of a key, to tell whether the next key stands beside it: keys that end with a number are often put in its
/// order.
private struct KeyEnd {
    /// The bytes before the last four; eight at most.
    private var head: UInt64 = 0
    /// The last four bytes as a number.
    private var tail: UInt32 = 0
    /// The length of the key; 0 for none.
    private var count = 0

    /// The largest difference between the numbers of two neighbours.
    private static let maximumDistance: UInt32 = 16

    init() {}

    @inline(__always)
    init(_ key: Span<UInt8>) {
        guard key.count >= 8 else { return }
        count = key.count
        key.withUnsafeBytes { bytes in
            tail = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
            head =
                bytes.count >= 12
                ? bytes.loadUnaligned(fromByteOffset: bytes.count - 12, as: UInt64.self)
                : UInt64(bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt32.self))
        }
    }

    /// Returns true if the key stands after another one, and its last number is at most ``maximumDistance`` above.
    @inline(__always)
    func follows(_ other: KeyEnd) -> Bool {
        count > 0 && count == other.count && head == other.head && tail &- other.tail <= Self.maximumDistance
    }
}
