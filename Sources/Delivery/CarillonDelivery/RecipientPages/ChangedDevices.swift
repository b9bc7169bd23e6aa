import CarillonCore

/// The devices that have changed since a page was read.
///
/// Each read of a page and each change gets a sequence number. If a device's change has a higher number than the read,
/// the engine sends nothing to the device from that read. The memory is bounded: when `limit` devices are remembered,
/// the next change, of whatever device, makes all devices count as changed.
struct ChangedDevices: Sendable {
    private let limit: Int
    private var sequence: UInt64 = 1
    private var changedAt: [AppDevice: UInt64] = [:]
    private var allChangedAt: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of devices that are remembered one by one.
    var count: Int { changedAt.count }

    /// Returns the sequence number of a read that begins now.
    mutating func beginRead() -> UInt64 {
        sequence += 1
        return sequence
    }

    /// Remembers that a device has changed. Above the limit the list is forgotten, and every device counts as changed.
    mutating func insert(_ device: AppDevice) {
        sequence += 1
        if changedAt.count < limit {
            changedAt[device] = sequence
        } else {
            changedAt.removeAll()
            allChangedAt = sequence
        }
    }

    mutating func insertAll() {
        sequence += 1
        changedAt.removeAll()
        allChangedAt = sequence
    }

    /// Returns true if the device has changed since the read with that sequence number.
    func hasChanged(_ device: @autoclosure () -> AppDevice, since read: UInt64) -> Bool {
        if allChangedAt > read { return true }
        guard !changedAt.isEmpty, let at = changedAt[device()] else { return false }
        return at > read
    }

    /// Forgets all changes. Call it when no page that was read before them is in memory.
    mutating func removeAll() {
        if !changedAt.isEmpty { changedAt.removeAll() }
    }
}

/// The name of a device in memory: its app and its id.
struct AppDevice: Hashable {
    var app: AppID
    var device: DeviceID
}
