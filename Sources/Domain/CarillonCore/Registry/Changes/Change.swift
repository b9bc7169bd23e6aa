/// One change of the registry or the outbox. The writer applies changes in mutations: a mutation is one change, or
/// changes that take effect together, or a sweep.
///
/// The effect of a change and its answer follow from the registry's state and the change alone: the change contains the
/// time and its caller's decisions.
package enum Change: Hashable, Sendable {
    /// A REGISTER (Protocol 7.1). `Registration.seenAt` zero or in the future is taken as `now`.
    indirect case register(Registration, now: Timestamp)
    /// An UNREGISTER (Protocol 7.3). `UnregisterRequest.at` zero or in the future is taken as `now`.
    case unregister(UnregisterRequest, now: Timestamp)
    /// An UPDATE_DEVICE (Protocol 7.5).
    case updateDevice(UpdateDeviceRequest)
    /// A JOIN or a SWITCH. `sender` is the sender of the announcement.
    indirect case join(JoinRequest, sender: String? = nil, now: Timestamp)
    /// A LEAVE.
    case leave(LeaveRequest)
    /// A SUBSCRIBE.
    indirect case subscribe(TopicSubscription)
    /// An UNSUBSCRIBE.
    indirect case unsubscribe(TopicSubscription)
    /// An UPDATE_GROUP, which mutes or unmutes a group, or only counts its devices.
    case updateGroup(UpdateGroupRequest)
    /// A SEND. The message was validated, and is not a dry run. `sender` is the name of the principal; nil if it is not
    /// known.
    indirect case accept(Message, sender: String? = nil, now: Timestamp)
    /// Stores the number of devices in the audience of a message that was accepted without counting them. It has no
    /// effect if the number is known already, or the message has finished.
    case setAudienceCount(MessageID, devices: UInt64)
    /// The news of one page of a message: outcomes, delays and attempts.
    case recordOutcomes(OutcomeRecord, now: Timestamp)
    /// An UPDATE_MESSAGE.
    case updateMessage(UpdateMessageRequest, now: Timestamp)
    /// A RESEND. `sender` is the sender of the new message.
    indirect case resend(ResendRequest, sender: String? = nil, now: Timestamp)
    /// Puts scheduled messages whose time has come into the outbox, a bounded number.
    case releaseScheduled(now: Timestamp)
    /// A RECEIPTS. `now` is only the time of the record in the write-ahead log.
    case countReceipts(ReceiptsRequest, now: Timestamp)
    /// Takes a device out of quarantine, so that it is in all of its audiences again. `now` is only the time of the
    /// record in the write-ahead log.
    case restore(RestoreRequest, now: Timestamp)
    /// Appends an event from outside of the registry.
    indirect case appendEvent(Event)
    /// Stores that a subscriber has acknowledged every event up to a number.
    case acknowledge(EventSubscriber, upTo: UInt64, now: Timestamp)
    /// Removes the stored position of a subscriber: a FORGET_SUBSCRIBER.
    case forgetSubscriber(EventSubscriber)
    /// Gives a message to the member of the cluster that appends the change, if no live member sends the message.
    case claim(MessageID)
    /// Gives pages of a message to the member that appends the change. The first such change comes from the member that
    /// has claimed the whole message, and shares the message.
    case claimPages(MessageID, pages: UInt32)
    /// Ends a block of pages of the member that appends the change. All recipients of the block have outcomes.
    case endBlock(MessageID, blockAt: UInt32, now: Timestamp)
    /// Gives up all blocks of a message that the member that appends the change holds. None of their pushes is under
    /// way.
    case releaseBlocks(MessageID)
    /// Finishes a message if no recipient is pending. Every page of the message was read to the end, and
    /// every outcome is on disk.
    case finish(MessageID, now: Timestamp)
    /// Replaces the settings of the registry; the changes that follow use them.
    indirect case configure(RegistrySettings)
}
