import CarillonCore
import CarillonLMDB

/// New rows of `addresses`, and topics for rows of `memberships`, that are answered and are written later, in the order
/// of the keys.
///
/// Devices come in any order, and their rows are all over the trees. A row that is written at once costs a descent
/// through pages that are in no processor cache. Rows that are written together go from page to page.
///
/// The rows belong to the open transaction. ``WriteContext/flushIngestBuffer(in:)`` is to be called before either table
/// is read, as every commit does, unless it is known that the row is not in the buffer.
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

    /// True if there are no rows.
    var isEmpty: Bool { addresses.isEmpty && topics.isEmpty }

    /// True if there are so many rows that they are to be written.
    var isFull: Bool { addresses.count + topics.count >= Self.limit }

    /// True if there is a row of `addresses`.
    var hasAddresses: Bool { !addresses.isEmpty }

    /// Returns true if the row of an address is here. Searches through all rows.
    func contains(_ address: AddressDigest, app: AppNumber) -> Bool {
        addresses.contains { $0.digest == address && $0.app == app }
    }

    /// Adds the address of a device; neither the table nor the buffer has the address.
    mutating func add(_ address: AddressDigest, of device: DeviceID, app: AppNumber) {
        addresses.append(Address(app: app, digest: address, device: device))
    }

    /// Adds a topic to which the device itself was not subscribed before.
    mutating func add(_ topic: SetNumber, of device: DeviceID, app: AppNumber) {
        topics.append(Topic(app: app, device: device, topic: topic))
    }

    /// Writes all rows.
    mutating func write(to layout: Layout, in transaction: inout WriteTransaction) throws {
        try writeAddresses(to: layout.addresses, in: &transaction)
        try writeTopics(to: layout.memberships, in: &transaction)
    }

    /// Drops all rows: the transaction was aborted.
    mutating func removeAll() {
        (addresses, topics) = ([], [])
    }

    private mutating func writeAddresses(to table: AddressTable, in transaction: inout WriteTransaction) throws {
        guard !addresses.isEmpty else { return }
        addresses.sort()
        try transaction.withWriteCursor(in: table.database) { cursor in
            for row in addresses {
                guard try table.insert(row.device, for: row.digest, app: row.app, in: &cursor) == nil else {
                    throw RegistryError.corrupted("addresses: one of two devices")
                }
            }
        }
        addresses.removeAll(keepingCapacity: true)
    }

    private mutating func writeTopics(to table: MembershipTable, in transaction: inout WriteTransaction) throws {
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
}
