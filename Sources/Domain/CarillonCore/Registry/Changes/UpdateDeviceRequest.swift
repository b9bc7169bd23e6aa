/// A request that changes fields of a device (UPDATE_DEVICE, Protocol 7.5).
package struct UpdateDeviceRequest: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceReference
    package var update: DeviceUpdate

    package init(app: AppID, device: DeviceReference, update: DeviceUpdate) {
        self.app = app
        self.device = device
        self.update = update
    }
}
