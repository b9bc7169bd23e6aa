package import CarillonCore

/// A device with its memberships, as it is carried from one registry to another.
package struct ArchivedDevice: Hashable, Sendable {
    /// The device, with its mute.
    package var device: DeviceRecord
    /// The groups of the device, ascending.
    package var groups: [GroupName] = []
    /// The topics that the device itself is subscribed to, ascending.
    package var topics: [TopicName] = []
    /// The time since which the device is quarantined; nil if it is active.
    package var quarantinedAt: Timestamp?
    /// The times at which the provider accepted the last silent pushes to the device, ascending.
    package var silentPushes: [Timestamp] = []
    /// The push subscription of a browser; nil if the device has none.
    package var subscription: WebPushSubscription?

    package init(device: DeviceRecord) {
        self.device = device
    }
}
