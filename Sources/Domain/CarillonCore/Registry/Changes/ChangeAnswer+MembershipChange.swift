/// The answer to a change of groups or topics.
extension ChangeAnswer {
    /// The numbers and devices that a change of groups or topics has changed.
    package struct MembershipChange: Hashable, Sendable {
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

        /// Makes the answer to a change that changed nothing.
        package init() {}
    }
}
