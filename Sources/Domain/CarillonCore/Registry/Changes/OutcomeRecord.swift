/// The outcomes of some recipients of one page, to be written together.
package struct OutcomeRecord: Hashable, Sendable {
    /// A recipient with its outcome.
    package struct EndedRecipient: Hashable, Sendable {
        /// The position of the recipient in the page.
        package var position: UInt16
        /// The outcome; never pending.
        package var outcome: Outcome
        /// The report of the provider about a dead token, whose device is to be quarantined; nil if the token is not
        /// dead.
        package var deadToken: DeadToken?
        /// The environment to which the device is to be moved, because the token was accepted there; nil if the device
        /// stays.
        package var movedTo: APNsEnvironment?
        /// The value of `DeviceRecord.registeredAt` when the token was read, for `movedTo`: a device that has
        /// registered since is not moved.
        package var registeredAt: Timestamp

        package init(
            position: UInt16, outcome: Outcome, deadToken: DeadToken? = nil, movedTo: APNsEnvironment? = nil,
            registeredAt: Timestamp = .zero
        ) {
            self.position = position
            self.outcome = outcome
            self.deadToken = deadToken
            self.movedTo = movedTo
            self.registeredAt = registeredAt
        }
    }

    /// A recipient whose next attempt waits.
    package struct Delay: Hashable, Sendable {
        package var position: UInt16
        /// The number of attempts made: each is on disk before the next is made.
        package var attempts: UInt8
        /// The time at which the next attempt may start.
        package var dueAt: Timestamp

        package init(position: UInt16, attempts: UInt8, dueAt: Timestamp) {
            self.position = position
            self.attempts = attempts
            self.dueAt = dueAt
        }
    }

    /// One attempt at a recipient, remembered for TRACE.
    package struct RecordedAttempt: Hashable, Sendable {
        package var position: UInt16
        package var attempt: TraceAttempt

        package init(position: UInt16, attempt: TraceAttempt) {
            self.position = position
            self.attempt = attempt
        }
    }

    /// A provider's report that a token is dead. The device is quarantined in the same step, if its registration is
    /// still the one that the push was sent under and is not newer than `since`.
    package struct DeadToken: Hashable, Sendable {
        /// The time since which the provider knows the token to be dead.
        package var since: Timestamp
        /// The value of `DeviceRecord.registeredAt` when the token was read.
        package var registeredAt: Timestamp

        package init(since: Timestamp, registeredAt: Timestamp) {
            self.since = since
            self.registeredAt = registeredAt
        }
    }

    package var message: MessageID
    package var page: UInt32
    /// The recipients with an outcome. A position that has an outcome already keeps the first.
    package var endedRecipients: [EndedRecipient]
    /// The recipients whose next attempt waits; stored until they have an outcome.
    package var delays: [Delay]
    /// The attempts to remember for TRACE; the registry keeps the newest `MessageTrace.maximumAttempts` of each
    /// recipient.
    package var attempts: [RecordedAttempt]
    /// The recipients of the page, stored with its first outcomes; nil if the audience is a list.
    package var addressed: AddressedChunk?
    /// The page before which no page has pending recipients: a restart need not read the pages before it.
    package var firstPendingPage: UInt32
    /// The number of `endedRecipients` that gave up while they waited for a pool: the provider has not got their
    /// pushes. No table has this number.
    package var gaveUpWaitingCount: Int

    /// True if an attempt has an `apns-unique-id`.
    package var hasUniqueIDs: Bool { attempts.contains { $0.attempt.uniqueID != nil } }

    package init(
        message: MessageID, page: UInt32, endedRecipients: [EndedRecipient], delays: [Delay] = [],
        attempts: [RecordedAttempt] = [],
        addressed: AddressedChunk? = nil, firstPendingPage: UInt32 = 0, gaveUpWaitingCount: Int = 0
    ) {
        self.message = message
        self.page = page
        self.endedRecipients = endedRecipients
        self.delays = delays
        self.attempts = attempts
        self.addressed = addressed
        self.firstPendingPage = firstPendingPage
        self.gaveUpWaitingCount = gaveUpWaitingCount
    }
}
