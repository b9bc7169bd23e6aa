/// The result of a change of groups or topics.
package struct MembershipChangeResult: Hashable, Sendable {
    /// The number of devices that joined or left, or of sources of a topic that were added or removed.
    package var changed: UInt32 = 0
    /// The number of devices that left the other group; 0 unless the change is a switch.
    package var left: UInt32 = 0
    /// The indices of the devices of the request that are not registered.
    package var unknown: [UInt32] = []
    /// The first device of the request that is registered; nil if no device is registered.
    package var device: DeviceID?
    /// The devices whose audiences may have changed.
    package var affected: Affected = .devices([])
    /// The announcement that was accepted; nil if no announcement was sent.
    package var announcement: AcceptedAnnouncement?

    /// The devices that a change affects.
    package enum Affected: Hashable, Sendable {
        /// The devices of a list.
        case devices([DeviceID])
        /// The devices of the app, too many for a list: all must be read again.
        case allDevices
    }

    /// An accepted announcement.
    package struct AcceptedAnnouncement: Hashable, Sendable {
        package var id: MessageID
        /// The announcement as it is in the outbox; nil if it has no recipients.
        package var outbound: OutboundMessage?

        package init(id: MessageID, outbound: OutboundMessage?) {
            self.id = id
            self.outbound = outbound
        }
    }

    /// Makes the result of a change that changed nothing.
    package init() {}
}
