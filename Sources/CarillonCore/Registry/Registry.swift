/// The registry and the outbox: everything that must survive, behind calls that name no key and no transaction.
///
/// Changes go through one queue, are applied in order, and are answered when they are on disk. Reads are short, see
/// every answered change, and may be made on any thread; they may block on the disk, in a flood of changes for some tenths of a
/// second.
package protocol Registry: AnyObject, Sendable {
    /// Changes when the history is gone (Protocol 6.1).
    var epoch: UUIDBytes { get }

    /// Queues one change that takes effect after everything queued before.
    ///
    /// - Parameters:
    ///   - deadline: uptime in milliseconds after which it is refused with `.deadline` if not begun.
    ///   - completion: called once, on a thread of the registry, when the change is on disk; or with the error that kept it
    ///     from taking effect. Must not block.
    func submit(
        _ change: Change,
        deadline: UInt64?,
        completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    )

    /// Queues changes that came together, each for itself: in order, after everything queued before, and what fails for one
    /// does not for the others.
    ///
    /// - Parameters:
    ///   - changes: each with the uptime in milliseconds after which it is refused with `.deadline` if not begun. Those for
    ///     which the queue has no room are refused with `.overloaded`.
    ///   - completion: called once, when what became of the last of them is known, with one result for each in order; on a
    ///     thread of the registry, or on the caller's if the last of them was refused. Must not block.
    func submitEach(
        _ changes: [(change: Change, deadline: UInt64?)],
        completion: @escaping @Sendable ([Result<ChangeAnswer, RegistryError>]) -> Void
    )

    /// Queues changes that take effect together, in order, after everything queued before.
    ///
    /// - Parameters:
    ///   - changes: at most `RegistryLimits.changesPerSubmission`.
    ///   - deadline: uptime in milliseconds after which they are refused with `.deadline` if not begun.
    ///   - completion: called once, on a thread of the registry, when all are on disk, with one answer for each change
    ///     in order; or with the error that kept every one of them from taking effect. Must not block.
    func submit(
        _ changes: [Change],
        deadline: UInt64?,
        completion: @escaping @Sendable (Result<[ChangeAnswer], RegistryError>) -> Void
    )

    /// Whether a read sees every answered change without waiting; else calls `body` once, on a thread of the registry, when it
    /// does. For those who cannot wait: reads do so themselves.
    func whenCurrent(_ body: @escaping @Sendable () -> Void) -> Bool

    /// Answers pointReads about an app on one snapshot, in order.
    ///
    /// - Parameters:
    ///   - pointReads: they should be as many as were read together: what they need is fetched together.
    ///   - answered: called with the index of each and its answer, nil if there is no such thing. What fails for one
    ///     pointRead does not for the others.
    func pointRead(
        _ pointReads: [PointRead], of app: AppID, _ answered: (Int, Result<PointReadResult?, RegistryError>) -> Void
    )

    /// How far a message has come.
    func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus?

    /// All devices of an app, active and quarantined, with what is stored of each; `cursor` 0 starts.
    func devices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceRecordPage

    /// A page of at most `limit` recipients; `cursor` 0 starts.
    func outcomes(
        of message: MessageID,
        app: AppID,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage?

    /// The queues that have unfinished messages.
    func outboxQueues() throws(RegistryError) -> Set<OutboxQueue>

    /// Unfinished messages of a queue, by id, after `message`; looks at no more than `limit`. Found without going through
    /// other queues.
    func unfinishedMessages(
        in queue: OutboxQueue, after message: MessageID?, limit: Int
    ) throws(RegistryError) -> OutboxPage

    /// The first page at or after `page` that has pending recipients, with the tokens of this moment; nil if there is
    /// none.
    ///
    /// An audience by list has its pages since acceptance. Any other is taken now: who is in it now, had registered
    /// before the acceptance, and has no outcome yet. Which devices a page addresses is fixed when its first outcome is
    /// on disk.
    func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage?

    /// A page read again: those that are still pending. Who has left the audience since the page was fixed says so.
    func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage?

    /// Messages of an app, the newest first, before `message`; at most `limit`.
    func messages(of app: AppID, before message: MessageID?, limit: Int) throws(RegistryError) -> [MessageSummary]

    /// Why one device did or did not get one message (TRACE, Protocol 8.8).
    func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult

    /// Devices with a receipt of that kind for a message; `cursor` 0 starts.
    func receipts(
        of message: MessageID, app: AppID, kind: ReceiptKind, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> DevicePage?

    /// Quarantined devices; `cursor` 0 starts.
    func quarantine(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DevicePage

    /// When the next scheduled message is due; nil if none is scheduled.
    func nextScheduled() throws(RegistryError) -> Timestamp?

    /// The number of the newest event; 0 before the first.
    func newestEvent() throws(RegistryError) -> UInt64

    /// The number of the oldest event that is kept; nil if none is.
    func oldestEvent() throws(RegistryError) -> UInt64?

    /// Events after a number, in order; at most `limit`, looking at no more than `RegistryLimits.eventsPerRead`.
    func events(after sequence: UInt64, limit: Int, filter: EventFilter) throws(RegistryError) -> EventPage

    /// What a subscriber of that name has acknowledged; nil if there is none.
    func acknowledged(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64?

    /// Groups whose names begin with `prefix`, after the name `after`; at most `limit`.
    func groups(of app: AppID, prefix: String, after: String, limit: Int) throws(RegistryError) -> NamedSetPage

    /// Topics whose names begin with `prefix`, after the name `after`; at most `limit`.
    func topics(of app: AppID, prefix: String, after: String, limit: Int) throws(RegistryError) -> NamedSetPage

    /// Topics that a group is subscribed to, after the name `after`; at most `limit`. `devices` of the rows is that of
    /// the topics.
    func topics(
        of group: GroupName, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> NamedSetPage

    /// Devices of a set; `cursor` 0 starts. A set that does not exist has none.
    func devices(in set: SetName, of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DevicePage

    /// Groups of a device, and its topics after `after`: at least one, then as many as make `limit` rows.
    func memberships(
        of device: DeviceReference, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> Memberships?

    /// Counts what a condition holds for.
    func explain(_ condition: Condition, app: AppID) throws(RegistryError) -> Explanation

    /// What a message would be answered with, as a dry run: its audience is counted, nothing is stored.
    func dryRun(_ message: Message) throws(RegistryError) -> Acceptance

    /// Removes what retention allows (finished messages, tombstones, idempotency keys), a bounded number of rows a
    /// call; true if there is more. What cannot be read stays, and the rest goes.
    func sweep(now: Timestamp) throws(RegistryError) -> Bool

    /// Writes what is queued, answers it, and closes. Later calls fail with `.closed`.
    func close()
}

/// Limits of the registry's queue.
package enum RegistryLimits {
    /// Changes in one submission.
    package static let changesPerSubmission = 1_000
    /// Recipients of one page: the unit of fan-out, of progress and of outcome.
    package static let recipientsPerPage = 4_096
    /// Events that one read looks at, those that its filter leaves out included.
    package static let eventsPerRead = 10_000
    /// Names of subscriptions to events whose places are kept, of all principals.
    package static let eventSubscribers = 1_000
}

/// One change of the registry or the outbox.
package enum Change: Hashable, Sendable {
    /// Protocol 7.1. `Registration.seenAt` zero or in the future is taken as `now`.
    indirect case register(Registration, now: Timestamp)
    /// Protocol 7.3. `at` zero or in the future is taken as `now`.
    case unregister(DeviceReference, app: AppID, at: Timestamp, now: Timestamp)
    /// Protocol 7.5.
    case update(DeviceReference, app: AppID, DeviceUpdate)
    /// JOIN and SWITCH.
    indirect case join(Join, now: Timestamp)
    /// LEAVE.
    case leave(Leave)
    /// SUBSCRIBE.
    indirect case subscribe(Subscription)
    /// UNSUBSCRIBE.
    indirect case unsubscribe(Subscription)
    /// UPDATE_GROUP: mutes a group or lets it speak again; absent only counts.
    case mute(GroupName, app: AppID, Bool?)
    /// SEND. The message was validated, and is no dry run.
    indirect case accept(Message, now: Timestamp)
    /// Outcomes of one page of a message.
    case record(OutcomeRecord, now: Timestamp)
    /// STEER.
    case updateMessage(MessageID, app: AppID, MessageUpdate, now: Timestamp)
    /// RESEND: a new message with the content of an old one, to those of its devices that ended in one of `outcomes`; with
    /// none in one that a second try can help. Without a `notAfter` that of the old one holds.
    case resend(
        MessageID, app: AppID, key: UUIDBytes, outcomes: Set<Outcome>, notAfter: Timestamp? = nil, now: Timestamp)
    /// Puts scheduled messages whose time has come into the outbox, a bounded number.
    case release(now: Timestamp)
    /// RECEIPTS.
    case count([Receipt], app: AppID, now: Timestamp)
    /// Takes a device out of quarantine; it is in every audience again that it was in.
    case restore(DeviceReference, app: AppID, now: Timestamp)
    /// Something has happened outside of the registry.
    indirect case note(Event)
    /// A subscriber has seen every event up to a number.
    case acknowledge(EventSubscriber, upTo: UInt64)
    /// Every page of a message was read to the end and every outcome of it is on disk.
    case finish(MessageID, now: Timestamp)
}

/// Outcomes of some recipients of one page, to be written together.
package struct OutcomeRecord: Hashable, Sendable {
    /// One recipient's end.
    package struct Entry: Hashable, Sendable {
        /// Position in the page.
        package var position: UInt16
        /// How it ended; never pending.
        package var outcome: Outcome
        /// What APNs said of a dead token; the device is to be quarantined.
        package var death: TokenDeath?
        /// The other environment, in which the token was accepted: the device is to be moved there.
        package var movedTo: Environment?
        /// With `movedTo`: `Device.registeredAt` when the token was read. Whoever has registered since is not moved.
        package var registeredAt: Timestamp

        /// Makes an entry.
        package init(
            position: UInt16, outcome: Outcome, death: TokenDeath? = nil, movedTo: Environment? = nil,
            registeredAt: Timestamp = .zero
        ) {
            self.position = position
            self.outcome = outcome
            self.death = death
            self.movedTo = movedTo
            self.registeredAt = registeredAt
        }
    }

    /// A recipient whose next attempt waits.
    package struct Delay: Hashable, Sendable {
        /// Position in the page.
        package var position: UInt16
        /// Attempts made: each is on disk before the next is made.
        package var attempts: UInt8
        /// When the next one may start.
        package var dueAt: Timestamp

        /// Makes a delay.
        package init(position: UInt16, attempts: UInt8, dueAt: Timestamp) {
            self.position = position
            self.attempts = attempts
            self.dueAt = dueAt
        }
    }

    /// One attempt at a recipient, remembered for TRACE.
    package struct RecordedAttempt: Hashable, Sendable {
        /// Position in the page.
        package var position: UInt16
        /// The attempt.
        package var attempt: DeliveryAttempt

        /// Makes one.
        package init(position: UInt16, attempt: DeliveryAttempt) {
            self.position = position
            self.attempt = attempt
        }
    }

    /// APNs has declared a token dead. The device is quarantined in the same step, if its registration is still the one
    /// that the push was sent under and is not newer than the death.
    package struct TokenDeath: Hashable, Sendable {
        /// Since when APNs knows the token to be dead.
        package var since: Timestamp
        /// `Device.registeredAt` when the token was read.
        package var registeredAt: Timestamp

        /// Makes a death.
        package init(since: Timestamp, registeredAt: Timestamp) {
            self.since = since
            self.registeredAt = registeredAt
        }
    }

    /// The message.
    package var message: MessageID
    /// The page.
    package var page: UInt32
    /// Which recipients ended how. A position that has an outcome already keeps the first.
    package var entries: [Entry]
    /// Recipients whose next attempt waits; stored until they have an outcome.
    package var delays: [Delay]
    /// Attempts to remember for TRACE; the registry keeps the newest `MessageTrace.attemptLimit` of each recipient.
    package var attempts: [RecordedAttempt]
    /// Whom the page addresses, if its audience is not a list: stored with the first outcomes of the page.
    package var addressed: AddressedChunk?
    /// Pages before this one have ended, or had nobody: a restart need not look at them.
    package var floor: UInt32

    /// Makes a record.
    package init(
        message: MessageID, page: UInt32, entries: [Entry], delays: [Delay] = [], attempts: [RecordedAttempt] = [],
        addressed: AddressedChunk? = nil, floor: UInt32 = 0
    ) {
        self.message = message
        self.page = page
        self.entries = entries
        self.delays = delays
        self.attempts = attempts
        self.addressed = addressed
        self.floor = floor
    }
}

/// Whom one chunk of an audience addresses; shared by everything that speaks of the page.
package final class AddressedChunk: Hashable, Sendable {
    /// Offsets in the chunk.
    package let bits: ChunkBits

    /// Makes it of the offsets.
    package init(_ bits: ChunkBits) {
        self.bits = bits
    }

    /// Whether both address the same offsets.
    package static func == (left: AddressedChunk, right: AddressedChunk) -> Bool { left.bits == right.bits }

    /// Feeds the offsets to a hasher.
    package func hash(into hasher: inout Hasher) { hasher.combine(bits) }
}

/// What became of one change.
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
    /// Devices of a group that may have been muted or not; whether that has changed.
    case muted(devices: UInt64, hasChanged: Bool)
    /// Recorded; whether the message has finished with it.
    case recorded(isFinished: Bool)
    /// Steered, or finished before it could be; and its entry, if it is to be sent from now on.
    indirect case messageUpdated(MessageState, OutboxEntry?)
    /// Released; when the next one is due.
    case released([OutboxEntry], next: Timestamp?)
    /// Receipts that are new, and which of the list name no message or no device of it.
    case counted(UInt32, unknown: [UInt32])
    /// Noted or acknowledged.
    case noted
    /// Finished; nil if outcomes are missing after all.
    case finished(Bool)
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

    /// What can be held too many of.
    package enum Held: Hashable, Sendable {
        /// Attributes of a device.
        case attributes
        /// Groups of a device.
        case groups
        /// Topics of a device itself, or of a group.
        case topics
        /// Of the registry: names of subscribers to events.
        case subscribers
    }
}

/// How much one device or group holds at most.
package enum MembershipLimits {
    /// Own attributes of a device.
    package static let attributes = 16
    /// Groups of a device.
    package static let groups = 1_000
    /// Topics of a device itself; and topics of a group.
    package static let topics = 2_000
}

/// Messages that wait in one line: those of an app in a lane.
package struct OutboxQueue: Hashable, Comparable, Sendable {
    /// The lane.
    package var lane: Lane
    /// The app.
    package var app: AppID

    /// Makes a queue's name.
    package init(lane: Lane, app: AppID) {
        self.lane = lane
        self.app = app
    }

    /// Orders by lane, then app.
    package static func < (left: OutboxQueue, right: OutboxQueue) -> Bool {
        (left.lane.rawValue, left.app.name) < (right.lane.rawValue, right.app.name)
    }
}

/// An accepted message that has devices pending: what the delivery engine must know of it.
package struct OutboxEntry: Hashable, Sendable {
    /// The message.
    package var id: MessageID
    /// What is said.
    package var content: MessageContent
    /// When it was accepted; if it was scheduled, when it was released.
    package var acceptedAt: Timestamp
    /// After it no attempt starts.
    package var notAfter: Timestamp?
    /// Which queue it waits in.
    package var lane: Lane
    /// Whether the audience is taken page by page while it is sent; it is then for the engine to say when it ends.
    package var isLive: Bool
    /// The first page that may have somebody pending.
    package var floor: UInt32
    /// Deliveries a second at most, if there is a bound.
    package var pace: UInt32?
    /// Whether it was cancelled: nobody is sent to any more, all that are left end so.
    package var isCancelled: Bool

    /// The line in which it waits.
    package var queue: OutboxQueue { OutboxQueue(lane: lane, app: content.app) }

    /// Makes an entry.
    package init(
        id: MessageID, content: MessageContent, acceptedAt: Timestamp, notAfter: Timestamp?, lane: Lane,
        isLive: Bool = false, floor: UInt32 = 0, pace: UInt32? = nil, isCancelled: Bool = false
    ) {
        self.id = id
        self.content = content
        self.acceptedAt = acceptedAt
        self.notAfter = notAfter
        self.lane = lane
        self.isLive = isLive
        self.floor = floor
        self.pace = pace
        self.isCancelled = isCancelled
    }
}

/// Some unfinished messages of a queue.
package struct OutboxPage: Hashable, Sendable {
    /// By id.
    package var entries: [OutboxEntry]
    /// Those between them that cannot be read.
    package var unreadable: [UnreadableMessage]
    /// The message that was looked at last, whether it could be read or not; nil if there was none.
    package var last: MessageID?
    /// Whether there was none behind it.
    package var isEnd: Bool

    /// Makes a page.
    package init(
        entries: [OutboxEntry] = [], unreadable: [UnreadableMessage] = [], last: MessageID? = nil, isEnd: Bool
    ) {
        self.entries = entries
        self.unreadable = unreadable
        self.last = last
        self.isEnd = isEnd
    }
}

/// An unfinished message whose record cannot be read: it stays where it is, and the others go on without it.
package struct UnreadableMessage: Hashable, Sendable {
    /// The message.
    package var id: MessageID
    /// What is wrong with it; safe to show.
    package var reason: String

    /// Makes one.
    package init(id: MessageID, reason: String) {
        self.id = id
        self.reason = reason
    }
}

/// Why the registry as a whole refuses or fails.
package enum RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The queue is full: not executed, try again soon.
    case overloaded
    /// The deadline passed before the change began: not executed.
    case deadline
    /// Refused before the disk is full: not executed.
    case storageFull
    /// The disk failed: the effect is unknown; the registry has stopped for good.
    case storageFailed(String)
    /// A stored record cannot be read.
    case corrupted(String)
    /// The registry was closed: not executed.
    case closed
    /// Another process uses the data directory of this path: nothing was opened.
    case inUse(String)

    /// A sentence that is safe to show.
    package var description: String {
        switch self {
        case .overloaded: "the registry's queue is full"
        case .deadline: "the deadline passed before the change began"
        case .storageFull: "the registry is almost full"
        case .storageFailed(let what): "the registry's disk failed: \(what)"
        case .corrupted(let what): "the registry holds a record that cannot be read: \(what)"
        case .closed: "the registry is closed"
        case .inUse(let path): "data directory \(path) is in use by another process"
        }
    }
}
