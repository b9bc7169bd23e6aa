package import CarillonCore

/// The topics and the mute of a group. A group without both follows from its devices and has no row.
package struct ArchivedGroup: Hashable, Sendable {
    package var name: GroupName
    package var isMuted = false
    /// The topics of the group, ascending.
    package var topics: [TopicName] = []

    package init(name: GroupName) {
        self.name = name
    }
}

/// A device with its memberships, as it is carried from one registry to another.
package struct ArchivedDevice: Hashable, Sendable {
    /// The device, with its mute.
    package var device: DeviceRecord
    /// The groups of the device, ascending.
    package var groups: [GroupName] = []
    /// The topics to which the device itself is subscribed, ascending.
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

/// The tombstone of an unregistration: a registration that is not later is stale.
package struct ArchivedTombstone: Hashable, Sendable {
    package var address: DeviceAddress
    /// The time of the unregistration, as its caller gave it.
    package var unregisteredAt: Timestamp
    /// The server's time of the unregistration, from which the tombstone is kept.
    package var writtenAt: Timestamp

    package init(address: DeviceAddress, unregisteredAt: Timestamp, writtenAt: Timestamp) {
        self.address = address
        self.unregisteredAt = unregisteredAt
        self.writtenAt = writtenAt
    }
}
