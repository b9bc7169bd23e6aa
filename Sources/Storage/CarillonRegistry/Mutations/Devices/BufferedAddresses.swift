import CarillonCore
import CarillonLMDB

/// The new rows of the token index that are written later, in the order of the keys.
///
/// New addresses come in any order, and their rows are spread over `recent`. Writing a row at once costs a descent
/// through pages that are in no processor cache. Rows that are written together go from page to page.
///
/// The rows belong to the open transaction. They are written before every commit, and a lookup of the writer asks for
/// them before it reads the table. Only addresses that have no row may be added.
struct BufferedAddresses {
    /// A new row of an address.
    struct Row: Comparable {
        let app: AppNumber
        let digest: AddressDigest
        /// The value of the row; nil if the row was deleted since.
        fileprivate(set) var value: AddressRecord?

        /// Returns true if a row is before another one in `recent`.
        @inline(__always)
        static func < (a: Self, b: Self) -> Bool { a.app != b.app ? a.app < b.app : a.digest < b.digest }

        @inline(__always)
        fileprivate func has(_ digest: AddressDigest, app: AppNumber) -> Bool {
            self.digest == digest && self.app == app
        }
    }

    /// The number of rows, about 1.5 MiB with their slots, after which they are written. Writing them takes some
    /// milliseconds.
    private static let maximumRows = 32_768
    /// The number of rows that are written at once: about a millisecond.
    private static let rowsPerWrite = 4_096
    /// The number of slots. At most half of them are taken.
    private static let slotCount = 2 * maximumRows

    private var rows: [Row] = []
    /// An open-addressing hash table: each slot has an index of `rows`, plus one; 0 is a free slot. It is empty until
    /// there is a row, and while the rows are in order.
    private var slots: [UInt32] = []
    /// The number of rows that are written; nil if the rows are not in order yet.
    private var writtenCount: Int?

    var isEmpty: Bool { rows.isEmpty }

    /// The number of rows that will be written.
    private(set) var count = 0

    /// True if there are as many rows as there may be: they must be written before the next change.
    var isFull: Bool { rows.count >= Self.maximumRows }

    /// Adds the row of an address that has none in the table.
    mutating func insert(_ device: DeviceID, at digest: AddressDigest, app: AppNumber) {
        assert(writtenCount == nil)
        if slots.isEmpty { slots = Array(repeating: 0, count: Self.slotCount) }
        let slot = findSlot(of: digest, app: app)
        if slots[slot] > 0 {
            assert(rows[Int(slots[slot]) - 1].value == nil)
            rows[Int(slots[slot]) - 1].value = .device(device)
        } else {
            rows.append(Row(app: app, digest: digest, value: .device(device)))
            slots[slot] = UInt32(rows.count)
        }
        count += 1
    }

    /// Returns the row of an address; nil if it has none here.
    @inline(__always)
    func row(of digest: AddressDigest, app: AppNumber) -> AddressRecord? {
        guard !rows.isEmpty, let index = findIndex(of: digest, app: app) else { return nil }
        return rows[index].value
    }

    /// Replaces or deletes the row of an address. Returns false if the address has no row here. A replaced row is still
    /// written to `recent`, as it would be without the buffer.
    mutating func replaceIfPresent(_ digest: AddressDigest, app: AppNumber, by row: AddressRecord?) -> Bool {
        assert(writtenCount == nil)
        guard !rows.isEmpty, let index = findIndex(of: digest, app: app), rows[index].value != nil else { return false }
        rows[index].value = row
        if row == nil { count -= 1 }
        return true
    }

    mutating func write(to table: AddressTable, in transaction: inout WriteTransaction) throws {
        while try writeSome(to: table, in: &transaction) == .incomplete {}
    }

    /// Writes some rows. If more are left, none may be added or removed before these are written.
    mutating func writeSome(to table: AddressTable, in transaction: inout WriteTransaction) throws -> Completeness {
        guard !rows.isEmpty else { return .complete }
        if writtenCount == nil {
            rows.sort()
            slots = []
        }
        let first = writtenCount ?? 0
        let end = min(first + Self.rowsPerWrite, rows.count)
        try table.insertRecent(rows[first..<end], in: &transaction)
        guard end == rows.count else {
            writtenCount = end
            return .incomplete
        }
        rows.removeAll(keepingCapacity: true)
        writtenCount = nil
        count = 0
        return .complete
    }

    /// Drops all rows, because the transaction was aborted.
    mutating func removeAll() { self = BufferedAddresses() }

    /// Returns the slot of an address: the one with its row, or the free one for it.
    @inline(__always)
    private func findSlot(of digest: AddressDigest, app: AppNumber) -> Int {
        var slot = Int(truncatingIfNeeded: digest.head) & (Self.slotCount - 1)
        while slots[slot] > 0, !rows[Int(slots[slot]) - 1].has(digest, app: app) {
            slot = (slot + 1) & (Self.slotCount - 1)
        }
        return slot
    }

    @inline(__always)
    private func findIndex(of digest: AddressDigest, app: AppNumber) -> Int? {
        guard writtenCount == nil else { return sortedIndex(of: digest, app: app) }
        let taken = slots[findSlot(of: digest, app: app)]
        return taken > 0 ? Int(taken) - 1 : nil
    }

    private func sortedIndex(of digest: AddressDigest, app: AppNumber) -> Int? {
        let key = Row(app: app, digest: digest, value: nil)
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].has(digest, app: app) ? low : nil
    }
}
