/// A request that ends a registration (UNREGISTER, Protocol 7.3).
package struct UnregisterRequest: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceReference
    /// The time at which the app unregistered; zero = now.
    package var at: Timestamp

    package init(app: AppID, device: DeviceReference, at: Timestamp = .zero) {
        self.app = app
        self.device = device
        self.at = at
    }
}
