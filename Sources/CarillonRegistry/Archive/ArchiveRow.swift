package import CarillonCore

/// A device with all that it holds itself, as it is carried from one registry to another.
package struct ArchivedDevice: Hashable, Sendable {
    /// The device; whether it is muted among the rest.
    package var device: Device
    /// Its groups, ascending.
    package var groups: [GroupName] = []
    /// Topics that it holds itself, ascending.
    package var topics: [TopicName] = []
    /// Since when it is quarantined; nothing of an active one.
    package var quarantinedAt: Timestamp?
    /// When APNs accepted the last silent pushes to it, ascending.
    package var silentPushes: [Timestamp] = []

    /// Makes one that holds nothing.
    package init(device: Device) {
        self.device = device
    }
}

/// What a group holds for its devices. A group that holds nothing follows from its devices and has no row.
package struct ArchivedGroup: Hashable, Sendable {
    /// The group.
    package var name: GroupName
    /// Whether it is muted.
    package var isMuted = false
    /// Its topics, ascending.
    package var topics: [TopicName] = []

    /// Makes one that holds nothing.
    package init(name: GroupName) {
        self.name = name
    }
}

/// The trace of an unregistration: a registration that is not later is stale.
package struct ArchivedTombstone: Hashable, Sendable {
    /// Where it lies.
    package var address: DeviceAddress
    /// The time that the unregistration bore.
    package var at: Timestamp
    /// Server's time of the unregistration, from which it is kept.
    package var writtenAt: Timestamp

    /// Makes one.
    package init(address: DeviceAddress, at: Timestamp, writtenAt: Timestamp) {
        self.address = address
        self.at = at
        self.writtenAt = writtenAt
    }
}

/// How many rows of each kind an archive of an app has.
package struct ArchiveCounts: Hashable, Sendable {
    /// Groups that hold something.
    package var groups: UInt64 = 0
    /// Devices, quarantined ones among them.
    package var devices: UInt64 = 0
    /// Tombstones.
    package var tombstones: UInt64 = 0

    /// All rows.
    package var total: UInt64 { groups + devices + tombstones }

    /// Counts nothing.
    package init() {}
}
