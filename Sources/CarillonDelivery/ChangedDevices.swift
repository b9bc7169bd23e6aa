import CarillonCore

/// Which devices have changed since a page was read.
///
/// Every reading of a page and every change gets a ticket; what was read with a lower ticket than that of a change is not used
/// for the device any more. Bounded: past `limit` devices all count as changed.
struct ChangedDevices {
    /// Names one device.
    struct Key: Hashable {
        var app: AppID
        var device: DeviceID
    }

    private let limit: Int
    private var ticket: UInt64 = 1
    private var changedAt: [Key: UInt64] = [:]
    private var allChangedAt: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Devices remembered one by one.
    var count: Int { changedAt.count }

    /// The ticket of a reading that begins now.
    mutating func readingBegins() -> UInt64 {
        ticket += 1
        return ticket
    }

    /// A device has changed.
    mutating func note(_ device: Key) {
        ticket += 1
        if changedAt.count < limit {
            changedAt[device] = ticket
        } else {
            changedAt.removeAll()
            allChangedAt = ticket
        }
    }

    /// Every device may have changed.
    mutating func noteAll() {
        ticket += 1
        changedAt.removeAll()
        allChangedAt = ticket
    }

    /// Whether the device has changed since the reading with that ticket.
    func hasChanged(_ device: @autoclosure () -> Key, since read: UInt64) -> Bool {
        if allChangedAt > read { return true }
        guard !changedAt.isEmpty, let at = changedAt[device()] else { return false }
        return at > read
    }

    /// Nothing that was read is in memory: what has changed before does not matter.
    mutating func forget() {
        if !changedAt.isEmpty { changedAt.removeAll() }
    }
}
