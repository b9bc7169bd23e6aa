/// One change of the registry or the outbox.
///
/// What a change does, and its answer, follow from the registry's state and the change alone: it contains the time, and
/// what its caller decided.
package enum Change: Hashable, Sendable {
    /// Protocol 7.1. `Registration.seenAt` zero or in the future is taken as `now`.
    indirect case register(Registration, now: Timestamp)
    /// Protocol 7.3. `UnregisterRequest.at` zero or in the future is taken as `now`.
    case unregister(UnregisterRequest, now: Timestamp)
    /// Protocol 7.5.
    case update(UpdateDeviceRequest)
    /// JOIN and SWITCH. `sender` is the sender of the announcement.
    indirect case join(Join, sender: String? = nil, now: Timestamp)
    /// LEAVE.
    case leave(Leave)
    /// SUBSCRIBE.
    indirect case subscribe(Subscription)
    /// UNSUBSCRIBE.
    indirect case unsubscribe(Subscription)
    /// UPDATE_GROUP: mutes or unmutes a group; nil only counts.
    case mute(UpdateGroupRequest)
    /// SEND. The message was validated, and is no dry run. `sender` is the name of the principal; nil if it is not
    /// known.
    indirect case accept(Message, sender: String? = nil, now: Timestamp)
    /// Outcomes of one page of a message.
    case record(OutcomeRecord, now: Timestamp)
    /// STEER.
    case updateMessage(UpdateMessageRequest, now: Timestamp)
    /// RESEND. `sender` is that of the new message.
    indirect case resend(Resend, sender: String? = nil, now: Timestamp)
    /// Puts scheduled messages whose time has come into the outbox, a bounded number.
    case release(now: Timestamp)
    /// RECEIPTS. `now` is only the time of the record in the write-ahead log.
    case count(ReceiptsRequest, now: Timestamp)
    /// Takes a device out of quarantine; it is in all of its audiences again. `now` is only the time of the record in the
    /// write-ahead log.
    case restore(RestoreRequest, now: Timestamp)
    /// Appends an event of something outside of the registry.
    indirect case note(Event)
    /// A subscriber has acknowledged every event up to a number.
    case acknowledge(EventSubscriber, upTo: UInt64, now: Timestamp)
    /// FORGET_SUBSCRIBER: removes what is stored of a subscriber.
    case forgetSubscriber(EventSubscriber)
    /// Every page of a message was read to the end and every outcome of it is on disk.
    case finish(MessageID, now: Timestamp)
    /// Replaces the settings of the registry; the changes that follow use them.
    indirect case configure(RegistrySettings)
}

/// The answer to one change.
package enum ChangeAnswer: Hashable, Sendable {
    /// Registered; `ended` is another device that held the token and is gone.
    case registered(DeviceID, RegistrationResult, ended: DeviceID?)
    /// Unregistered; nil if there was no such device and only the tombstone was written.
    case unregistered(DeviceID?)
    /// Accepted; the entry is absent when the acceptance is the answer to an earlier message of the same key.
    indirect case accepted(Acceptance, OutboxEntry?)
    /// Updated.
    case updated(DeviceID)
    /// Groups or topics have changed.
    indirect case membership(MembershipAnswer)
    /// Devices of a group that may have been muted or not; true if that has changed.
    case muted(devices: UInt64, hasChanged: Bool)
    /// Recorded; true if the message has finished with it.
    case recorded(isFinished: Bool)
    /// The state after a message update, and the entry if the message is to be sent from now on.
    indirect case messageUpdated(MessageState, OutboxEntry?)
    /// Released; when the next one is due.
    case released([OutboxEntry], next: Timestamp?)
    /// Receipts that are new, and which of the list name no message or no device of it.
    case counted(UInt32, unknown: [UInt32])
    /// Noted, acknowledged or configured.
    case noted
    /// The subscriber is forgotten; whether there was one.
    case forgotten(wasKnown: Bool)
    /// The answer to `finish`; false if outcomes are missing after all.
    case finished(isFinished: Bool)
    /// Refused; nothing of this change took effect.
    case refused(Refusal)

    /// Why one change was refused.
    package enum Refusal: Hashable, Sendable {
        /// Something newer is stored.
        case stale
        /// There is no such device.
        case notFound
        /// The idempotency key was used with another body.
        case idempotencyConflict
        /// The device, the group or the registry would hold more than it may: `MembershipLimits`.
        case tooMany(Held)
        /// The message has not finished yet.
        case unfinished
        /// The time after which no attempt starts is past.
        case outOfTime
    }

    /// A limited kind of memberships.
    package enum Held: Hashable, Sendable {
        /// Attributes of a device.
        case attributes
        /// Groups of a device.
        case groups
        /// Topics of a device itself, or of a group.
        case topics
        /// Of the registry: names of subscribers to events.
        case subscribers
        /// Of a principal: names of subscribers to events.
        case ownSubscribers
    }
}

/// Limits of one device or group.
package enum MembershipLimits {
    /// Own attributes of a device.
    package static let attributes = 16
    /// Groups of a device.
    package static let groups = 1_000
    /// Topics of a device itself; and topics of a group.
    package static let topics = 2_000
}
