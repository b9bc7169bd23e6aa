package import CarillonCore

/// A device with its memberships, as it is carried from one registry to another.
package struct ArchivedDevice: Hashable, Sendable {
    /// The device, with its mute.
    package var device: Device
    /// Its groups, ascending.
    package var groups: [GroupName] = []
    /// Topics to which the device itself is subscribed, ascending.
    package var topics: [TopicName] = []
    /// Since when the device is quarantined; nil if it is active.
    package var quarantinedAt: Timestamp?
    /// When the provider accepted the last silent pushes to it, ascending.
    package var silentPushes: [Timestamp] = []
    /// The push subscription of a browser; nil if it has none.
    package var subscription: WebPushSubscription?

    /// Makes one without memberships.
    package init(device: Device) {
        self.device = device
    }
}
