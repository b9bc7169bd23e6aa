/// One change of the registry or the outbox.
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
    /// A change that stores the number of devices in the audience of a message that was accepted without counting them.
    /// If the number is known already, or the message has finished, it changes nothing.
    case setAudienceCount(MessageID, devices: UInt64)
    /// The news of one page of a message: outcomes, delays and attempts.
    case recordOutcomes(OutcomeRecord, now: Timestamp)
    /// An UPDATE_MESSAGE.
    case updateMessage(UpdateMessageRequest, now: Timestamp)
    /// A RESEND. `sender` is the sender of the new message.
    indirect case resend(ResendRequest, sender: String? = nil, now: Timestamp)
    /// A change that puts scheduled messages whose time has come into the outbox, a bounded number.
    case releaseScheduled(now: Timestamp)
    /// A RECEIPTS. `now` is only the time of the record in the write-ahead log.
    case countReceipts(ReceiptsRequest, now: Timestamp)
    /// A change that takes a device out of quarantine; it is in all of its audiences again. `now` is only the time of
    /// the record in the write-ahead log.
    case restore(RestoreRequest, now: Timestamp)
    /// A change that appends an event from outside of the registry.
    indirect case appendEvent(Event)
    /// A subscriber has acknowledged every event up to a number.
    case acknowledge(EventSubscriber, upTo: UInt64, now: Timestamp)
    /// A FORGET_SUBSCRIBER, which removes the stored position of a subscriber.
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
    /// A change that replaces the settings of the registry; the changes that follow use them.
    indirect case configure(RegistrySettings)
}
