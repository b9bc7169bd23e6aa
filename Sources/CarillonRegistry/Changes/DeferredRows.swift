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
struct DeferredRows {
    private struct Address {
        let app: AppNumber
        /// The first bytes of the token: nearly in order is good enough.
        let order: UInt64
        let address: DeviceAddress
        let device: DeviceID
    }

    private struct Topic {
        let app: AppNumber
        let device: DeviceID
        let topic: SetNumber
    }

    /// Rows at most, about 50 MB; then they are written.
    private static let limit = 500_000

    private var addresses: [Address] = []
    /// Of `addresses`, in the order in which they came.
    private var hashes: [UInt64] = []
    private var topics: [Topic] = []

    /// Whether nothing waits.
    var isEmpty: Bool { addresses.isEmpty && topics.isEmpty }

    /// Whether so many wait that they are to be written.
    var isFull: Bool { addresses.count + topics.count >= Self.limit }

    /// Whether any address waits.
    var hasAddresses: Bool { !addresses.isEmpty }

    /// Whether an address may wait; false if it certainly does not. It looks through all of them.
    func mayHold(_ hash: UInt64) -> Bool { hashes.contains(hash) }

    /// A device holds an address of which nothing is known, neither in the table nor here.
    mutating func add(_ address: DeviceAddress, _ hash: UInt64, _ app: AppNumber, heldBy device: DeviceID) {
        let order = address.token.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        addresses.append(Address(app: app, order: order, address: address, device: device))
        hashes.append(hash)
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
        (addresses, hashes, topics) = ([], [], [])
    }

    private mutating func writeAddresses(to table: AddressTable, in transaction: inout WriteTransaction) throws {
        addresses.sort { ($0.app, $0.order) < ($1.app, $1.order) }
        for row in addresses {
            guard try table.insert(&transaction, row.app, row.address, row.device) == nil else {
                throw RegistryError.corrupted("addresses: one of two devices")
            }
        }
        addresses.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
    }

    private mutating func writeTopics(to table: MembershipTable, in transaction: inout WriteTransaction) throws {
        topics.sort { ($0.app, $0.device.rawValue) < ($1.app, $1.device.rawValue) }
        var next = 0
        while next < topics.count {
            let (app, device) = (topics[next].app, topics[next].device)
            var membership = try table.get(transaction, app, device)
            while next < topics.count, topics[next].device == device, topics[next].app == app {
                _ = membership.topics.add(topics[next].topic)
                next += 1
            }
            try table.put(&transaction, app, device, membership)
        }
        topics.removeAll(keepingCapacity: true)
    }
}
