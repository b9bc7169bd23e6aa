/// The registry and the outbox: everything that must survive, behind calls that name no key and no transaction.
///
/// Changes go through one queue, are applied in order, and are answered when they are on disk. Reads are short, see
/// every answered change, and may be made on any thread; they may block on the disk.
package protocol Registry: AnyObject, Sendable {
    /// Changes when the history is gone (Protocol 6.1).
    var epoch: UUIDBytes { get }

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

    /// The device of that reference, active or quarantined.
    func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> Device?

    /// How far a message has come.
    func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus?

    /// A page of at most `limit` recipients; `cursor` 0 starts.
    func outcomes(
        of message: MessageID,
        app: AppID,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage?

    /// Messages with devices still pending, by id, after `message`; at most `limit`.
    func unfinishedMessages(after message: MessageID?, limit: Int) throws(RegistryError) -> [OutboxEntry]

    /// The recipients of a page that are still pending, with the tokens of this moment; nothing if there is no such page.
    func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage?

    /// Removes what retention allows (finished messages, tombstones, idempotency keys), a bounded number of rows a
    /// call; true if there is more.
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
}

/// One change of the registry or the outbox.
package enum Change: Sendable {
    /// Protocol 7.1. `Registration.seenAt` zero or in the future is taken as `now`.
    case register(Registration, now: Timestamp)
    /// Protocol 7.3. `at` zero or in the future is taken as `now`.
    case unregister(DeviceReference, app: AppID, at: Timestamp, now: Timestamp)
    /// Protocol 8.1. The message was validated.
    case accept(Message, now: Timestamp)
    /// Outcomes of one page of a message.
    case record(OutcomeRecord, now: Timestamp)
}

/// Outcomes of some recipients of one page, to be written together.
package struct OutcomeRecord: Hashable, Sendable {
    /// One recipient's end.
    package struct Entry: Hashable, Sendable {
        /// Position in the page.
        package var position: UInt16
        /// How it ended; never pending.
        package var outcome: Outcome
        /// For `.tokenUnregistered` and `.tokenExpired`: what APNs said of the token.
        package var death: TokenDeath?

        /// Makes an entry.
        package init(position: UInt16, outcome: Outcome, death: TokenDeath? = nil) {
            self.position = position
            self.outcome = outcome
            self.death = death
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

    /// Makes a record.
    package init(message: MessageID, page: UInt32, entries: [Entry]) {
        self.message = message
        self.page = page
        self.entries = entries
    }
}

/// What became of one change.
package enum ChangeAnswer: Hashable, Sendable {
    /// Registered; `ended` is another device that held the token and is gone.
    case registered(DeviceID, RegistrationResult, ended: DeviceID?)
    /// Unregistered; nothing if there was no such device and only the tombstone was written.
    case unregistered(DeviceID?)
    /// Accepted; the entry is absent when the acceptance is the answer to an earlier message of the same key.
    case accepted(Acceptance, OutboxEntry?)
    /// Recorded; whether the message has finished with it.
    case recorded(isFinished: Bool)
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
    }
}

/// An accepted message that has devices pending: what the delivery engine must know of it.
package struct OutboxEntry: Hashable, Sendable {
    /// The message.
    package var id: MessageID
    /// What is said.
    package var content: MessageContent
    /// When it was accepted.
    package var acceptedAt: Timestamp
    /// After it no attempt starts.
    package var notAfter: Timestamp?
    /// Which queue it waits in.
    package var lane: Lane
    /// Pages are numbered from 0 to `pages` − 1.
    package var pages: UInt32

    /// Makes an entry.
    package init(
        id: MessageID, content: MessageContent, acceptedAt: Timestamp, notAfter: Timestamp?, lane: Lane, pages: UInt32
    ) {
        self.id = id
        self.content = content
        self.acceptedAt = acceptedAt
        self.notAfter = notAfter
        self.lane = lane
        self.pages = pages
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

    /// A sentence that is safe to show.
    package var description: String {
        switch self {
        case .overloaded: "the registry's queue is full"
        case .deadline: "the deadline passed before the change began"
        case .storageFull: "the registry is almost full"
        case .storageFailed(let what): "the registry's disk failed: \(what)"
        case .corrupted(let what): "the registry holds a record that cannot be read: \(what)"
        case .closed: "the registry is closed"
        }
    }
}
