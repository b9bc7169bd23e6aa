import CarillonCore
import CarillonLMDB

/// Which addresses are certainly not in `addresses`: a Bloom filter of cache lines, so that a new one costs one look at one line and
/// no way down a tree.
///
/// It is filled from the table piece by piece, while changes go on, and says nothing before it has seen all of it. Whoever
/// puts an address notes it here before: then whatever of the table was read before that is known as well. Addresses that
/// have gone are noted still, and so are those of transactions that were aborted: they only make it look as if one were there.
///
/// Addresses stand in it by their digests: nobody can choose one that looks as if it were there.
///
/// For some 15,000,000 addresses at most: 32 MiB, and 8 for a million. One in a thousand of those that are not there looks as if it were.
struct TokenBloomFilter {
    /// Rows of the table that are read at a time: some 10 ms, where a batch of a flood takes 25.
    static let piece = 65_536
    private static let wordsPerLine = 8
    private static let addressesPerLine = 32
    private static let mostLines = 1 << 19

    /// Lines of eight words, of which each has one bit of an address; nothing before it has begun.
    private var words: AtomicWords?
    private var lineMask: UInt64 = 0
    /// Addresses that there is still room for.
    private var room = 0
    /// The last row of the table that was read.
    private var position: AddressTable.Place?
    private var isComplete = false
    /// There are too many addresses, there is no memory, or the table cannot be read.
    private(set) var isGivenUp = false

    /// Whether it has seen nothing yet: what waits to be put must be in the table before it begins, for it would never learn of that.
    var hasNotBegun: Bool { words == nil && !isGivenUp }

    /// Whether an address is certainly not in the table, nor waits to be.
    @inline(__always)
    func lacks(_ address: AddressDigest) -> Bool {
        guard isComplete, let words else { return false }
        let (line, bits) = place(address)
        for word in 0..<Self.wordsPerLine where words[line + word] & Self.bit(of: word, bits) == 0 { return true }
        return false
    }

    /// An address is going to be put.
    @inline(__always)
    mutating func note(_ address: AddressDigest) {
        guard let words else { return }
        let (line, bits) = place(address)
        for word in 0..<Self.wordsPerLine { words[line + word] |= Self.bit(of: word, bits) }
        room -= 1
        // It is begun again, for more.
        if room < 0 { self = TokenBloomFilter() }
    }

    /// Reads the next piece of the table, until it is complete. If that fails there is no filter until the next start: it would fail
    /// again.
    ///
    /// - Parameter body: called with each row that is read.
    mutating func extend(
        _ table: AddressTable, _ transaction: borrowing WriteTransaction,
        _ body: (AddressTable.Row) -> Void = { _ in }
    ) throws {
        guard !isComplete, !isGivenUp else { return }
        do {
            try read(table, transaction, body)
        } catch {
            self = TokenBloomFilter()
            isGivenUp = true
            throw error
        }
    }

    private mutating func read(
        _ table: AddressTable, _ transaction: borrowing WriteTransaction,
        _ body: (AddressTable.Row) -> Void
    ) throws {
        if words == nil { begin(for: try transaction.count(table.database)) }
        var last: AddressTable.Place?
        var found: [AddressDigest] = []
        found.reserveCapacity(Self.piece)
        try table.forEachRow(transaction, after: position) { row in
            found.append(row.place.address)
            body(row)
            guard found.count == Self.piece else { return .goOn }
            last = row.place
            return .stop
        }
        for address in found where words != nil { note(address) }
        guard words != nil else { return }
        position = last
        isComplete = last == nil
    }

    private mutating func begin(for count: Int) {
        // Room to grow: to begin again costs a look at all of them.
        let wanted = (2 * count + 1_000_000) / Self.addressesPerLine
        var lines = 1
        while lines < wanted, lines < Self.mostLines { lines *= 2 }
        room = lines * Self.addressesPerLine
        guard room - count > count / 8, let memory = AtomicWords(count: lines * Self.wordsPerLine) else {
            isGivenUp = true
            return
        }
        (words, lineMask) = (memory, UInt64(lines - 1))
    }

    @inline(__always)
    private func place(_ address: AddressDigest) -> (line: Int, bits: UInt64) {
        // Other bits than those that choose the line: it takes 19 of the head.
        (
            Int(truncatingIfNeeded: address.head & lineMask) * Self.wordsPerLine,
            address.head >> 20 | UInt64(address.tail) << 44
        )
    }

    @inline(__always)
    private static func bit(of word: Int, _ bits: UInt64) -> UInt64 {
        1 << (bits >> UInt64(6 * word) & 63)
    }
}
