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
        /// Where its key is among `keys`.
        let start: UInt32
        let length: UInt8
        /// The first bytes of the token: nearly in order is good enough.
        let order: UInt64
        let device: DeviceID
    }

    private struct Topic {
        let app: AppNumber
        let device: DeviceID
        let topic: SetNumber
    }

    /// Rows at most, about 50 MB; then they are written.
    private static let limit = 500_000
    /// Bytes of keys at most.
    private static let keyLimit = 32 << 20

    private var addresses: [Address] = []
    /// Of `addresses`, one behind the other: the memory of the tokens themselves is given back at once, and used again while it is warm.
    private var keys: [UInt8] = []
    /// Of `addresses`, in the order in which they came.
    private var seals: [UInt64] = []
    private var topics: [Topic] = []

    /// Whether nothing waits.
    var isEmpty: Bool { addresses.isEmpty && topics.isEmpty }

    /// Whether so many wait that they are to be written.
    var isFull: Bool { addresses.count + topics.count >= Self.limit || keys.count >= Self.keyLimit }

    /// Whether any address waits.
    var hasAddresses: Bool { !addresses.isEmpty }

    /// Whether an address may wait; false if it certainly does not. It looks through all of them.
    func mayHold(_ seal: UInt64) -> Bool { seals.contains(seal) }

    /// A device holds an address of which nothing is known, neither in the table nor here.
    mutating func add(_ address: DeviceAddress, _ seal: UInt64, _ app: AppNumber, heldBy device: DeviceID) {
        let start = keys.count
        AddressTable.withKey(app, address) { key in key.withUnsafeBufferPointer { keys.append(contentsOf: $0) } }
        addresses.append(
            Address(
                // `isFull` bounds the first, and `AddressTable.keyBytes`, 206, the second.
                app: app, start: UInt32(start), length: UInt8(keys.count - start), order: address.token.order,
                device: device))
        seals.append(seal)
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
        (addresses, keys, seals, topics) = ([], [], [], [])
    }

    private mutating func writeAddresses(to table: AddressTable, in transaction: inout WriteTransaction) throws {
        addresses.sort { ($0.app, $0.order) < ($1.app, $1.order) }
        for row in addresses {
            let key = keys.span.extracting(Int(row.start)..<Int(row.start) + Int(row.length))
            guard try table.insert(&transaction, key: key, row.device) == nil else {
                throw RegistryError.corrupted("addresses: one of two devices")
            }
        }
        addresses.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
        seals.removeAll(keepingCapacity: true)
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

extension DeviceToken {
    /// Its first eight bytes as a number.
    fileprivate var order: UInt64 {
        bytes.withUnsafeBytes { bytes in
            bytes.count >= 8
                ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
