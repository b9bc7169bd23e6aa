import CarillonCore

/// The silent pushes in memory: each device has a silent-push budget, and the disk knows it only after the outcome is
/// written.
struct SilentPushes: Sendable {
    /// The number of messages in memory that are silent pushes.
    var messages = 0
    /// The devices with a silent push that is on its way, or was delivered and is not on disk.
    private var devices: Set<AppDevice> = []

    /// The number of devices with a silent push that is not on disk.
    var count: Int { devices.count }

    /// Begins a silent push to a device. Returns false if another silent push to the device has not ended: its effect
    /// on the silent-push budget is not known.
    mutating func begin(_ device: AppDevice) -> Bool { devices.insert(device).inserted }

    /// Ends the silent push to a device: it was not delivered, or its outcome is on disk.
    mutating func end(_ device: AppDevice) { devices.remove(device) }
}
