/// The answer to one change.
package enum ChangeAnswer: Hashable, Sendable {
    /// The device is registered; `ended` is another device that held the token and is gone. `changesAudiences` is true
    /// if a device that was known before may be in other audiences.
    case registered(DeviceID, RegisterResultKind, ended: DeviceID?, changesAudiences: Bool = false)
    /// The device is unregistered; nil if there was no such device and only the tombstone was written.
    case unregistered(DeviceID?)
    /// The message is accepted. `outbound` is there if the message is to be sent now: not for a repetition, a scheduled
    /// message, or one without pending recipients.
    indirect case accepted(SendResult, outbound: OutboundMessage?)
    /// The number of devices in the audience of the message, as it is stored now.
    case audienceCounted(devices: UInt64)
    /// The device was updated or restored.
    case updated(DeviceID)
    /// The groups or topics have changed.
    indirect case membership(MembershipChange)
    /// The number of devices of the group; `hasChanged` if it is muted now and was not before, or the reverse.
    case groupUpdated(devices: UInt64, hasChanged: Bool)
    /// The outcome record is stored; true if the message has finished with it.
    case outcomesRecorded(isFinished: Bool)
    /// The state after a message update, and the message if it is to be sent from now on.
    indirect case messageUpdated(MessageState, outbound: OutboundMessage?)
    /// The messages that were released, and the time at which the next one is due.
    case released([OutboundMessage], next: Timestamp?)
    /// The number of receipts that are new, and the indices of the receipts that name no message or no device of it.
    case receiptsCounted(UInt32, unknown: [UInt32])
    /// The change took effect, and there is nothing to say about it: an event, an acknowledgement, the settings.
    case applied
    /// The subscriber is forgotten; `wasKnown` is true if it existed.
    case forgotten(wasKnown: Bool)
    /// The message that the member sends from now on; nil if another member sends it, or no member needs to.
    indirect case claimed(OutboundMessage?)
    /// The answer to a claim of pages.
    indirect case pagesClaimed(PageClaim)
    /// The message was checked for pending recipients, by `finish` or after the end of a block. `isFinished` is true if
    /// a message to a live audience has finished.
    case messageChecked(isFinished: Bool)
    /// The change is refused and took no effect.
    case refused(Refusal)

    /// The devices that the change unregisters, gives another token or may move to other audiences.
    ///
    /// Delivery must not use what it has read of them before, and must know them before the change is answered. A
    /// device that is new has not been read.
    package var affected: Affected {
        switch self {
        case .registered(let id, let result, let ended, let changesAudiences):
            .devices((result == .replaced || changesAudiences ? [id] : []) + (ended.map { [$0] } ?? []))
        case .unregistered(let id?), .updated(let id): .devices([id])
        case .membership(let answer): answer.affected
        case .groupUpdated(_, hasChanged: true): .allDevices
        case .unregistered(nil), .groupUpdated(_, hasChanged: false): .devices([])
        case .accepted, .audienceCounted, .outcomesRecorded, .messageUpdated, .released, .receiptsCounted, .applied,
            .forgotten,
            .claimed, .pagesClaimed, .messageChecked, .refused:
            .devices([])
        }
    }

    /// The devices that a change affects.
    package enum Affected: Hashable, Sendable {
        /// The devices of a list.
        case devices([DeviceID])
        /// The devices of the app, too many for a list: all must be read again.
        case allDevices
    }

    /// The reason why one change was refused.
    package enum Refusal: Hashable, Sendable {
        /// A newer registration or unregistration is stored.
        case stale
        /// There is no such device or message.
        case notFound
        /// The idempotency key was used with another body.
        case idempotencyConflict
        /// A device, a group, a principal or the registry would have more of them than it may.
        case tooMany(LimitedItem)
        /// The message has not finished yet.
        case unfinished
        /// The time after which no attempt starts is past.
        case outOfTime
    }

    /// A thing that is limited in number by `MembershipLimits` or `RegistryLimits`.
    package enum LimitedItem: Hashable, Sendable {
        /// The attributes of a device.
        case attributes
        /// The groups of a device.
        case groups
        /// The topics of a device itself, or of a group.
        case topics
        /// The topics that devices get or lose with their groups, in one change.
        case topicsOfDevices
        /// The topics of groups that one change adds or removes.
        case topicsOfGroups
        /// The subscribers to events, of the registry.
        case subscribers
        /// The subscribers to events, of a principal.
        case ownSubscribers
    }
}

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

        package struct AcceptedAnnouncement: Hashable, Sendable {
            package var id: MessageID
            /// The announcement as it is in the outbox; nil if it has no recipients.
            package var outbound: OutboundMessage?

            package init(id: MessageID, outbound: OutboundMessage?) {
                self.id = id
                self.outbound = outbound
            }
        }

        package init() {}
    }
}
