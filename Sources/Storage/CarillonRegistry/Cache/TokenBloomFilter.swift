import CarillonCore
import CarillonLMDB

/// A blocked Bloom filter, which says that an address is certainly not in the token index. So a new address costs one
/// cache line and no descent of the tree.
///
/// A registration must know whether its address has a device already. In bulk ingest nearly every address is new, and
/// its place in the tree is in no cache: the descent would cost more than the rest of the registration. The filter
/// answers from 64 bytes. Some bits of the digest choose a cache line, which has eight words, and others choose one bit
/// in each word. `insert` sets these eight bits. If one of them is 0, the address was never inserted. If all are 1, it
/// may have been, or other addresses have set them: then the tree is asked.
///
/// It is filled from the table piece by piece while changes go on, and is used when it is complete. Every address that
/// is put is inserted here first, so the rows after the last piece need no second reading. Removed addresses stay in
/// the filter: these are only false positives. After an abort the filter begins anew: a row that the transaction had
/// removed before the filter read it may be there again.
///
/// It uses the digests of addresses, so a client cannot choose false positives.
///
/// Limit: about 15,000,000 addresses in 32 MiB; 8 MiB for a million. One in a thousand absent addresses is a false
/// positive.
struct TokenBloomFilter {
    /// The number of rows of the table in one piece: about 8 ms, while a batch of bulk ingest takes 15 ms.
    static let rowsPerPiece = 32_768
    private static let wordsPerLine = 8
    private static let addressesPerLine = 32
    private static let maximumLines = 1 << 19

    /// The cache lines of the filter, of eight words each; each word has one bit of an address. Nil before the filter
    /// has begun.
    private var words: AtomicWords?
    private var lineMask: UInt64 = 0
    /// The number of addresses for which there is still room.
    private var freeAddressCount = 0
    /// The key of the last row of the table that was read; nil before the first.
    private var lastRowKey: AddressTable.RowKey?
    private var isComplete = false
    /// True if there are too many addresses, too little memory, or a table that cannot be read.
    private(set) var isGivenUp = false

    /// True once the filter has begun: it has all addresses that were inserted since, and reads the addresses of the
    /// table.
    var hasBegun: Bool { words != nil }

    /// Returns true if an address is certainly not in the table.
    @inline(__always)
    func lacks(_ digest: AddressDigest) -> Bool {
        guard isComplete, let words else { return false }
        let (line, bits) = location(of: digest)
        for word in 0..<Self.wordsPerLine where words[line + word] & Self.bit(of: word, bits) == 0 { return true }
        return false
    }

    /// Inserts an address. Call it before its row is put.
    @inline(__always)
    mutating func insert(_ digest: AddressDigest) {
        guard let words else { return }
        let (line, bits) = location(of: digest)
        for word in 0..<Self.wordsPerLine { words[line + word] |= Self.bit(of: word, bits) }
        freeAddressCount -= 1
        // The filter begins again, with more room.
        if freeAddressCount < 0 { self = TokenBloomFilter() }
    }

    /// Reads the next piece of the table, unless the filter is complete. After a failed read there is no filter until
    /// the next start, because the read would fail again.
    ///
    /// - Parameter body: called with each row that is read.
    mutating func extend(
        from table: AddressTable,
        in transaction: borrowing WriteTransaction,
        _ body: (AddressTable.Row) -> Void = { _ in }
    ) throws {
        guard !isComplete, !isGivenUp else { return }
        do {
            try read(from: table, in: transaction, body)
        } catch {
            self = TokenBloomFilter()
            isGivenUp = true
            throw error
        }
    }

    private mutating func read(
        from table: AddressTable, in transaction: borrowing WriteTransaction, _ body: (AddressTable.Row) -> Void
    ) throws {
        if words == nil { begin(for: try table.count(in: transaction)) }
        var last: AddressTable.RowKey?
        var found: [AddressDigest] = []
        found.reserveCapacity(Self.rowsPerPiece)
        try table.forEachRow(after: lastRowKey, in: transaction) { row in
            found.append(row.rowKey.digest)
            body(row)
            guard found.count == Self.rowsPerPiece else { return .proceed }
            last = row.rowKey
            return .stop
        }
        for digest in found where words != nil { insert(digest) }
        guard words != nil else { return }
        lastRowKey = last
        isComplete = last == nil
    }

    private mutating func begin(for count: Int) {
        // The filter has room for twice the addresses and a million more, because a new filter must read the whole
        // table.
        let wanted = (2 * count + 1_000_000) / Self.addressesPerLine
        var lines = 1
        while lines < wanted, lines < Self.maximumLines { lines *= 2 }
        freeAddressCount = lines * Self.addressesPerLine
        guard freeAddressCount - count > count / 8, let memory = AtomicWords(count: lines * Self.wordsPerLine) else {
            isGivenUp = true
            return
        }
        words = memory
        lineMask = UInt64(lines - 1)
    }

    @inline(__always)
    private func location(of digest: AddressDigest) -> (line: Int, bits: UInt64) {
        // Bits that do not choose the line, which takes 19 bits of the head.
        (
            Int(truncatingIfNeeded: digest.head & lineMask) * Self.wordsPerLine,
            digest.head >> 20 | UInt64(digest.tail) << 44
        )
    }

    @inline(__always)
    private static func bit(of word: Int, _ bits: UInt64) -> UInt64 {
        1 << (bits >> UInt64(6 * word) & 63)
    }
}
