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

/// The topics and the mute of a group. A group without both follows from its devices and has no row.
package struct ArchivedGroup: Hashable, Sendable {
    /// The group.
    package var name: GroupName
    /// True if it is muted.
    package var isMuted = false
    /// Its topics, ascending.
    package var topics: [TopicName] = []

    /// Makes one without memberships.
    package init(name: GroupName) {
        self.name = name
    }
}

/// The tombstone of an unregistration: a registration that is not later is stale.
package struct ArchivedTombstone: Hashable, Sendable {
    package var address: DeviceAddress
    /// The time of the unregistration, as its caller gave it.
    package var at: Timestamp
    /// Server's time of the unregistration, from which it is kept.
    package var writtenAt: Timestamp

    package init(address: DeviceAddress, at: Timestamp, writtenAt: Timestamp) {
        self.address = address
        self.at = at
        self.writtenAt = writtenAt
    }
}

/// The number of rows of each kind in the archive of an app.
package struct ArchiveCounts: Hashable, Sendable {
    /// Groups with topics or a mute.
    package var groups: UInt64 = 0
    /// Devices, quarantined ones among them.
    package var devices: UInt64 = 0
    package var tombstones: UInt64 = 0

    /// All rows.
    package var total: UInt64 { groups + devices + tombstones }

    /// Counts nothing.
    package init() {}
}
