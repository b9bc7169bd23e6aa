package import CarillonCore

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
