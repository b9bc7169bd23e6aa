import CarillonCore
import CarillonLMDB

/// New rows of `addresses`, and topics for rows of `memberships`, that are answered and are written later, in the order
/// of the keys.
///
/// Devices come in any order, and their rows are all over the trees. A row that is written at once costs a descent
/// through pages that are in no processor cache. Rows that are written together go from page to page.
///
/// The rows belong to the open transaction, and are written before every commit. Before that a device is to be looked up
/// here as well as in `addresses`, and topics are to be written before `memberships` is read.
struct IngestBuffer {
    private struct Address: Comparable {
        let app: AppNumber
        let digest: AddressDigest
        let device: DeviceID

        /// The order of the rows.
        @inline(__always)
        static func < (a: Self, b: Self) -> Bool { a.app != b.app ? a.app < b.app : a.digest < b.digest }
    }

    private struct Topic {
        let app: AppNumber
        let device: DeviceID
        let topic: SetNumber
    }

    /// The most rows: 16 MB at 32 bytes each, and as much again while an array grows. Then they are written.
    private static let maximumRows = 500_000
    /// Rows that are written as one piece.
    private static let pieceRows = 4_096

    private var addresses: [Address] = []
    /// Finds an address: its index plus one in the slot of its digest or in one behind it; 0 is a free slot. Half of the
    /// slots are free at least.
    private var slots: [UInt32] = []
    /// While addresses are written in pieces: their indices, by the first byte of the digest.
    private var order: [UInt32] = []
    /// How many of these are written.
    private var written = 0
    private var topics: [Topic] = []

    /// True if there are no rows.
    var isEmpty: Bool { addresses.isEmpty && topics.isEmpty }

    /// True if there are ``maximumRows`` rows: they are to be written.
    var isFull: Bool { addresses.count + topics.count >= Self.maximumRows }

    // MARK: Addresses

    /// The device whose row of `addresses` is here; nil if the row of the address is not.
    @inline(__always)
    func device(at address: AddressDigest, app: AppNumber) -> DeviceID? {
        guard !slots.isEmpty else { return nil }
        var slot = firstSlot(of: address)
        while slots[slot] != 0 {
            let row = addresses[Int(slots[slot]) - 1]
            if row.digest == address, row.app == app { return row.device }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds the address of a device; neither the table nor the buffer has the address.
    mutating func add(_ address: AddressDigest, of device: DeviceID, app: AppNumber) {
        addresses.append(Address(app: app, digest: address, device: device))
        if addresses.count * 2 > slots.count {
            slots = Array(repeating: 0, count: max(Self.minimumSlots, slots.count * 2))
            for index in addresses.indices { fillSlot(of: index) }
        } else {
            fillSlot(of: addresses.count - 1)
        }
    }

    private static let minimumSlots = 1_024

    private mutating func fillSlot(of index: Int) {
        var slot = firstSlot(of: addresses[index].digest)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(index + 1)
    }

    /// The digest is a keyed hash: a client cannot fill slots that lie together.
    private func firstSlot(of address: AddressDigest) -> Int {
        Int(truncatingIfNeeded: address.head) & (slots.count - 1)
    }

    // MARK: Topics

    /// Adds a topic to which the device itself was not subscribed before.
    mutating func add(_ topic: SetNumber, of device: DeviceID, app: AppNumber) {
        topics.append(Topic(app: app, device: device, topic: topic))
    }

    // MARK: Writing

    /// Writes all rows.
    mutating func write(to layout: Layout, in transaction: inout WriteTransaction) throws {
        while try writePiece(to: layout, in: &transaction) {}
    }

    /// Writes some rows: a few milliseconds. Returns true if there may be more.
    ///
    /// Between two pieces devices are found as before, and no row may be added.
    mutating func writePiece(to layout: Layout, in transaction: inout WriteTransaction) throws -> Bool {
        guard !addresses.isEmpty else {
            try writeTopics(to: layout.memberships, in: &transaction)
            return false
        }
        if order.isEmpty { order = indicesByFirstByte() }
        let end = endOfPiece()
        let rows = order[written..<end].map { addresses[Int($0)] }.sorted()
        let table = layout.addresses
        try transaction.withWriteCursor(in: table.database) { cursor in
            for row in rows {
                guard try table.insert(row.device, for: row.digest, app: row.app, in: &cursor) == nil else {
                    throw RegistryError.corrupted("addresses: one of two devices")
                }
            }
        }
        written = end
        if written == order.count {
            addresses.removeAll(keepingCapacity: true)
            (slots, order, written) = ([], [], 0)
        }
        return true
    }

    /// Writes the topics.
    mutating func writeTopics(to table: MembershipTable, in transaction: inout WriteTransaction) throws {
        guard !topics.isEmpty else { return }
        topics.sort { ($0.app, $0.device.rawValue) < ($1.app, $1.device.rawValue) }
        try transaction.withWriteCursor(in: table.database) { cursor in
            var next = 0
            while next < topics.count {
                let (app, device) = (topics[next].app, topics[next].device)
                try table.extend(device, app: app, in: &cursor) { membership in
                    while next < topics.count, topics[next].device == device, topics[next].app == app {
                        _ = membership.topics.insertSorted(topics[next].topic)
                        next += 1
                    }
                }
            }
        }
        topics.removeAll(keepingCapacity: true)
    }

    /// Drops all rows: the transaction was aborted.
    mutating func removeAll() { self = IngestBuffer() }

    /// The indices of the addresses by the first byte of their digests.
    private func indicesByFirstByte() -> [UInt32] {
        var ends = Array(repeating: 0, count: 257)
        for row in addresses { ends[Self.firstByte(of: row) + 1] += 1 }
        for byte in 1...256 { ends[byte] += ends[byte - 1] }
        var indices = Array(repeating: 0 as UInt32, count: addresses.count)
        for (index, row) in addresses.enumerated() {
            let byte = Self.firstByte(of: row)
            indices[ends[byte]] = UInt32(index)
            ends[byte] += 1
        }
        return indices
    }

    /// The end of the next piece: roughly ``pieceRows`` rows, up to a change of the first byte of the digest.
    private func endOfPiece() -> Int {
        var end = min(written + Self.pieceRows, order.count)
        while end < order.count, firstByte(at: end) == firstByte(at: end - 1) { end += 1 }
        return end
    }

    private func firstByte(at place: Int) -> Int { Self.firstByte(of: addresses[Int(order[place])]) }

    private static func firstByte(of row: Address) -> Int { Int(row.digest.head >> 56) }
}
