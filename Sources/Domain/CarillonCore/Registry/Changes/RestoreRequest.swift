/// A request that lets a device leave quarantine (RESTORE, Protocol 7.7).
package struct RestoreRequest: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceReference

    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }
}
