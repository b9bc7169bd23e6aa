import CarillonCore

/// The devices with a silent push that is on its way, or was delivered and is not on disk: at most one a device.
///
/// Each device has a silent-push budget, which the disk knows only after the outcome is written. Until then, nothing
/// says whether another silent push to the device is within the budget.
struct SilentPushes: Sendable {
    private var devices: Set<AppDevice> = []

    /// The number of devices with a silent push that has not ended.
    var count: Int { devices.count }

    /// Begins a silent push to a device; returns false if another one to the device has not ended.
    mutating func begin(to device: AppDevice) -> Bool { devices.insert(device).inserted }

    /// Ends the silent push to a device: it was not delivered, or its outcome is on disk.
    mutating func end(to device: AppDevice) { devices.remove(device) }
}
