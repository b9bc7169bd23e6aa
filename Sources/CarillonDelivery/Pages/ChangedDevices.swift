import CarillonCore

/// Names one device in memory.
struct DeviceKey: Hashable {
    var app: AppID
    var device: DeviceID
}

/// The devices that have changed since a page was read.
///
/// Each read of a page and each change gets a ticket, ascending. What was read under a lower ticket than that of a
/// change is not used for the device. Bounded: beyond `limit` devices all devices count as changed.
struct ChangedDevices: Sendable {
    private let limit: Int
    private var ticket: UInt64 = 1
    private var changedAt: [DeviceKey: UInt64] = [:]
    private var allChangedAt: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Devices that are remembered one by one.
    var count: Int { changedAt.count }

    /// Returns the ticket of a read that begins now.
    mutating func beginRead() -> UInt64 {
        ticket += 1
        return ticket
    }

    /// Records that a device has changed.
    mutating func insert(_ device: DeviceKey) {
        ticket += 1
        if changedAt.count < limit {
            changedAt[device] = ticket
        } else {
            changedAt.removeAll()
            allChangedAt = ticket
        }
    }

    /// Records that every device may have changed.
    mutating func insertAll() {
        ticket += 1
        changedAt.removeAll()
        allChangedAt = ticket
    }

    /// Returns true if the device has changed since the read with that ticket.
    func hasChanged(_ device: @autoclosure () -> DeviceKey, since read: UInt64) -> Bool {
        if allChangedAt > read { return true }
        guard !changedAt.isEmpty, let at = changedAt[device()] else { return false }
        return at > read
    }

    /// Forgets all changes: nothing that was read before them is in memory.
    mutating func removeAll() {
        if !changedAt.isEmpty { changedAt.removeAll() }
    }
}
