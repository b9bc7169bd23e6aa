/// One change of the registry or the outbox.
///
/// What a change does, and its answer, follow from the registry's state and the change alone: it contains the time, and
/// what its caller decided.
package enum Change: Hashable, Sendable {
    /// REGISTER (Protocol 7.1). `Registration.seenAt` zero or in the future is taken as `now`.
    indirect case register(Registration, now: Timestamp)
    /// UNREGISTER (Protocol 7.3). `UnregisterRequest.at` zero or in the future is taken as `now`.
    case unregister(UnregisterRequest, now: Timestamp)
    /// UPDATE_DEVICE (Protocol 7.5).
    case updateDevice(UpdateDeviceRequest)
    /// JOIN and SWITCH. `sender` is the sender of the announcement.
    indirect case join(JoinRequest, sender: String? = nil, now: Timestamp)
    /// LEAVE.
    case leave(LeaveRequest)
    /// SUBSCRIBE.
    indirect case subscribe(Subscription)
    /// UNSUBSCRIBE.
    indirect case unsubscribe(Subscription)
    /// UPDATE_GROUP: mutes or unmutes a group, or only counts its devices.
    case updateGroup(UpdateGroupRequest)
    /// SEND. The message was validated, and is not a dry run. `sender` is the name of the principal; nil if it is not
    /// known.
    indirect case accept(Message, sender: String? = nil, now: Timestamp)
    /// Stores the number of devices in the audience of a message that was accepted without counting them. If the number
    /// is known already, or if the message has finished, it changes nothing.
    case setAudienceCount(MessageID, devices: UInt64)
    /// What is new of one page of a message: outcomes, delays and attempts.
    case recordOutcomes(OutcomeRecord, now: Timestamp)
    /// STEER.
    case updateMessage(UpdateMessageRequest, now: Timestamp)
    /// RESEND. `sender` is that of the new message.
    indirect case resend(ResendRequest, sender: String? = nil, now: Timestamp)
    /// Puts scheduled messages whose time has come into the outbox, a bounded number.
    case releaseScheduled(now: Timestamp)
    /// RECEIPTS. `now` is only the time of the record in the write-ahead log.
    case countReceipts(ReceiptsRequest, now: Timestamp)
    /// Takes a device out of quarantine; it is in all of its audiences again. `now` is only the time of the record in
    /// the write-ahead log.
    case restore(RestoreRequest, now: Timestamp)
    /// Appends an event of what happened outside of the registry.
    indirect case appendEvent(Event)
    /// A subscriber has acknowledged every event up to a number.
    case acknowledge(EventSubscriber, upTo: UInt64, now: Timestamp)
    /// FORGET_SUBSCRIBER: removes what is stored of a subscriber.
    case forgetSubscriber(EventSubscriber)
    /// The member of a cluster that appends it asks for a message that no live member sends.
    case claim(MessageID)
    /// The member of a cluster that appends it asks for pages of a message that several members send. The first such
    /// claim comes from the member that has the whole message.
    case claimPages(MessageID, pages: UInt32)
    /// All recipients of a block of pages that the member holds have outcomes.
    case endBlock(MessageID, blockAt: UInt32, now: Timestamp)
    /// The member gives up the blocks of a message that it holds: nothing of them is on its way.
    case releasePages(MessageID)
    /// Every page of a message was read to the end and every outcome of it is on disk.
    case finish(MessageID, now: Timestamp)
    /// Replaces the settings of the registry; the changes that follow use them.
    indirect case configure(RegistrySettings)
}

/// The answer to one change.
package enum ChangeAnswer: Hashable, Sendable {
    /// Registered; `ended` is another device that held the token and is gone. `changesAudiences` is true if a device
    /// that was known before may be in other audiences.
    case registered(DeviceID, RegistrationResult, ended: DeviceID?, changesAudiences: Bool = false)
    /// Unregistered; nil if there was no such device and only the tombstone was written.
    case unregistered(DeviceID?)
    /// Accepted; the entry is absent when the acceptance is the answer to an earlier message of the same key.
    indirect case accepted(Acceptance, OutboxEntry?)
    /// The number of devices in the audience of the message, as it is stored now.
    case audienceCounted(devices: UInt64)
    /// The device was updated or restored.
    case updated(DeviceID)
    /// Groups or topics have changed.
    indirect case membership(MembershipChangeResult)
    /// The number of devices of the group; `hasChanged` if it is muted now and was not before, or the reverse.
    case groupUpdated(devices: UInt64, hasChanged: Bool)
    /// The outcome record is stored; true if the message has finished with it.
    case recorded(isFinished: Bool)
    /// The state after a message update, and the entry if the message is to be sent from now on.
    indirect case messageUpdated(MessageState, OutboxEntry?)
    /// Released; when the next one is due.
    case released([OutboxEntry], next: Timestamp?)
    /// Receipts that are new, and which of the list name no message or no device of it.
    case counted(UInt32, unknown: [UInt32])
    /// It took effect, and there is nothing to say about it: an event, an acknowledgement, the settings.
    case applied
    /// The subscriber is forgotten; whether there was one.
    case forgotten(wasKnown: Bool)
    /// The entry of a message that the member sends from now on; nil if another one does, or none needs to.
    indirect case claimed(OutboxEntry?)
    /// The answer to a claim of pages.
    indirect case pagesClaimed(PageClaim)
    /// The answer to `finish` and `endBlock`; false if outcomes are missing, of other blocks or after all.
    case finished(isFinished: Bool)
    /// Refused; nothing of this change took effect.
    case refused(Refusal)

    /// The devices that are unregistered, have another token or may be in other audiences by the change.
    ///
    /// Delivery must not use what it has read of them before, and must know them before the change is acknowledged. A
    /// device that is new has not been read.
    package var affected: MembershipChangeResult.Affected {
        switch self {
        case .registered(let id, let result, let ended, let changesAudiences):
            .devices((result == .replaced || changesAudiences ? [id] : []) + (ended.map { [$0] } ?? []))
        case .unregistered(let id?), .updated(let id): .devices([id])
        case .membership(let answer): answer.affected
        case .groupUpdated(_, hasChanged: true): .allDevices
        case .unregistered(nil), .groupUpdated(_, hasChanged: false): .devices([])
        case .accepted, .audienceCounted, .recorded, .messageUpdated, .released, .counted, .applied, .forgotten,
            .claimed, .pagesClaimed, .finished, .refused:
            .devices([])
        }
    }

    /// Why one change was refused.
    package enum Refusal: Hashable, Sendable {
        /// A newer registration or unregistration is stored.
        case stale
        /// There is no such device.
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

    /// What is limited in number: `MembershipLimits`, `RegistryLimits`.
    package enum LimitedItem: Hashable, Sendable {
        /// Attributes of a device.
        case attributes
        /// Groups of a device.
        case groups
        /// Topics of a device itself, or of a group.
        case topics
        /// Topics that devices get or lose with their groups, in one change.
        case topicsOfDevices
        /// Topics of groups that one change adds or removes.
        case topicsOfGroups
        /// Subscribers to events, of the registry.
        case subscribers
        /// Subscribers to events, of a principal.
        case ownSubscribers
    }
}

/// The most groups and topics of a device, topics of a group, and topics in one change. The most attributes are in
/// `Attributes`.
package enum MembershipLimits {
    /// Groups of a device.
    package static let groups = 1_000
    /// Topics of a device itself; and topics of a group.
    package static let topics = 2_000
    /// What one change may do, so that nothing waits long behind it: topics that its devices get or lose, counted for
    /// each device; and topics that its groups get or lose, counted for each group and each 4,096 device ids among
    /// which the group has devices. A change that does more takes seconds, and is refused. The registrations of a batch
    /// count together.
    package static let topicChanges = 100_000
}
