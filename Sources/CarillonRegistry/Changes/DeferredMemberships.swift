import CarillonCore
import CarillonLMDB

/// Topics that devices hold, which were answered for and are written into their rows of `memberships` later, in the order of the
/// keys.
///
/// Devices come in any order, and their rows lie all over the tree: each that is written as it comes is a way down through
/// pages that no cache of the processor holds. Many that are written together go from page to page.
///
/// They belong to the open transaction: whoever looks at memberships calls ``ChangeApplier/settle(in:)`` before, as every
/// commit does.
struct DeferredMemberships {
    private struct Entry {
        let app: AppNumber
        let device: DeviceID
        let topic: SetNumber
    }

    /// Entries at most, about 12 MB; then they are written.
    private static let limit = 500_000

    private var entries: [Entry] = []

    /// Whether nothing waits.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether so many wait that they are to be written.
    var isFull: Bool { entries.count >= Self.limit }

    /// A device itself holds a topic that it did not hold.
    mutating func add(_ topic: SetNumber, heldBy device: DeviceID, _ app: AppNumber) {
        entries.append(Entry(app: app, device: device, topic: topic))
    }

    /// Writes them all.
    mutating func write(to table: MembershipTable, in transaction: inout WriteTransaction) throws {
        entries.sort { ($0.app, $0.device.rawValue) < ($1.app, $1.device.rawValue) }
        var next = 0
        while next < entries.count {
            let (app, device) = (entries[next].app, entries[next].device)
            var membership = try table.get(transaction, app, device)
            while next < entries.count, entries[next].device == device, entries[next].app == app {
                _ = membership.topics.add(entries[next].topic)
                next += 1
            }
            try table.put(&transaction, app, device, membership)
        }
        entries.removeAll(keepingCapacity: true)
    }

    /// Forgets them all: the transaction was aborted.
    mutating func forget() {
        entries = []
    }
}
