/// A page of ids: of the devices of a set, the quarantined devices, or the devices of a receipt.
package struct DeviceIDPage: Hashable, Sendable {
    /// The cursor of the next page; 0 if this is the last page.
    package var next: UInt64
    /// The ids of the devices, ascending.
    package var devices: [DeviceID]

    package init(next: UInt64, devices: [DeviceID]) {
        self.next = next
        self.devices = devices
    }
}
