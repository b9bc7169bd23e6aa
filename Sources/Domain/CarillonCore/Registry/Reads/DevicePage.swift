/// A page of all devices of an app, with their records (DEVICES).
package struct DevicePage: Hashable, Sendable {
    /// The cursor of the next page; 0 if this is the last page.
    package var next: UInt64
    /// The active and quarantined devices, ascending by id.
    package var devices: [DeviceRecord]

    package init(next: UInt64, devices: [DeviceRecord]) {
        self.next = next
        self.devices = devices
    }
}
