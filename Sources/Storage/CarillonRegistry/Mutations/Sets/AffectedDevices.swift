import CarillonCore

/// The devices whose audiences may have changed, up to a limit.
struct AffectedDevices {
    static let maximumDevices = 1_000

    private var ids: Set<DeviceID> = []
    private var coversAllDevices = false

    /// The devices that may have changed, or every device once there were too many.
    var result: ChangeAnswer.Affected { coversAllDevices ? .allDevices : .devices(ids.sorted()) }

    func hasRoom(for count: UInt64) -> Bool { count <= Self.maximumDevices - ids.count }

    /// Inserts a device; beyond the limit the set covers every device.
    mutating func insert(_ id: DeviceID) {
        guard !coversAllDevices else { return }
        if hasRoom(for: 1) { ids.insert(id) } else if !ids.contains(id) { markAllDevices() }
    }

    mutating func markAllDevices() {
        coversAllDevices = true
        ids = []
    }
}
