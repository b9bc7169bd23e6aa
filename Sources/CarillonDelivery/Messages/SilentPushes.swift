import CarillonCore

/// The silent pushes in memory: each device has a silent-push budget, and the disk knows it only after the outcome is
/// written.
struct SilentPushes: Sendable {
    /// Messages in memory that are silent pushes.
    var messages = 0
    /// Devices with a silent push that is on its way, or was delivered and is not on disk.
    private var devices: Set<AppDevice> = []

    /// The number of devices with a silent push that is not on disk.
    var count: Int { devices.count }

    /// A silent push to a device begins. Returns false if another silent push to the device has not ended: its effect
    /// on the silent-push budget is not known.
    mutating func begin(_ device: AppDevice) -> Bool { devices.insert(device).inserted }

    /// The silent push to a device was not delivered, or its outcome is on disk.
    mutating func end(_ device: AppDevice) { devices.remove(device) }
}
