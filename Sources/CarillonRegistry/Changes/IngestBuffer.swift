import CarillonCore
import CarillonLMDB

/// New rows of `addresses`, and topics for rows of `memberships`, that were answered for and are written later, in the order of the
/// keys.
///
/// Devices come in any order, and their rows lie all over the trees: each that is written as it comes is a way down through
/// pages that no cache of the processor holds. Many that are written together go from page to page.
///
/// They belong to the open transaction: whoever looks into either table, and does not know that nothing waits for it there, calls
/// ``ChangeApplier/settle(in:)`` before, as every commit does.
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

    /// Rows at most, 16 MB of 32 bytes each, and as much again while an array grows; then they are written.
    private static let limit = 500_000

    private var addresses: [Address] = []
    private var topics: [Topic] = []

    /// Whether nothing waits.
    var isEmpty: Bool { addresses.isEmpty && topics.isEmpty }

    /// Whether so many wait that they are to be written.
    var isFull: Bool { addresses.count + topics.count >= Self.limit }

    /// Whether any address waits.
    var hasAddresses: Bool { !addresses.isEmpty }

    /// Whether an address waits. It looks through all of them.
    func holds(_ address: AddressDigest, _ app: AppNumber) -> Bool {
        addresses.contains { $0.digest == address && $0.app == app }
    }

    /// A device holds an address of which nothing is known, neither in the table nor here.
    mutating func add(_ address: AddressDigest, _ app: AppNumber, heldBy device: DeviceID) {
        addresses.append(Address(app: app, digest: address, device: device))
    }

    /// A device itself holds a topic that it did not hold.
    mutating func add(_ topic: SetNumber, heldBy device: DeviceID, _ app: AppNumber) {
        topics.append(Topic(app: app, device: device, topic: topic))
    }

    /// Writes them all.
    mutating func write(to layout: Layout, in transaction: inout WriteTransaction) throws {
        try writeAddresses(to: layout.addresses, in: &transaction)
        try writeTopics(to: layout.memberships, in: &transaction)
    }

    /// Forgets them all: the transaction was aborted.
    mutating func forget() {
        (addresses, topics) = ([], [])
    }

    private mutating func writeAddresses(to table: AddressTable, in transaction: inout WriteTransaction) throws {
        guard !addresses.isEmpty else { return }
        addresses.sort()
        try transaction.withWriteCursor(table.database) { cursor in
            for row in addresses {
                guard try table.insert(&cursor, row.app, row.digest, row.device) == nil else {
                    throw RegistryError.corrupted("addresses: one of two devices")
                }
            }
        }
        addresses.removeAll(keepingCapacity: true)
    }

    private mutating func writeTopics(to table: MembershipTable, in transaction: inout WriteTransaction) throws {
        guard !topics.isEmpty else { return }
        topics.sort { ($0.app, $0.device.rawValue) < ($1.app, $1.device.rawValue) }
        try transaction.withWriteCursor(table.database) { cursor in
            var next = 0
            while next < topics.count {
                let (app, device) = (topics[next].app, topics[next].device)
                try table.extend(&cursor, app, device) { membership in
                    while next < topics.count, topics[next].device == device, topics[next].app == app {
                        _ = membership.topics.add(topics[next].topic)
                        next += 1
                    }
                }
            }
        }
        topics.removeAll(keepingCapacity: true)
    }
}
