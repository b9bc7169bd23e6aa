/// The registry and the outbox: everything that must survive, behind calls that name no key and no transaction.
///
/// Changes go through one queue, are applied in order, and are answered when they are on disk. Reads see every answered
/// change, and may be made on any thread. They may block on the disk. Point reads are for event loops: they wait for no
/// other read and no change.
package protocol Registry: AnyObject, Sendable {
    /// Changes when the history is gone (Protocol 6.1).
    var epoch: UUIDBytes { get }

    /// Queues one change that takes effect after everything queued before.
    ///
    /// - Parameters:
    ///   - deadline: uptime in milliseconds after which it is refused with `.deadline` if not begun.
    ///   - completion: called once, on a thread of the registry, when the change is on disk; or with the error that
    ///     kept it from taking effect. Must not block.
    func submit(
        _ change: Change,
        deadline: UInt64?,
        completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    )

    /// Queues changes that came together and are independent: in order, after everything queued before. If one fails
    /// the others do not.
    ///
    /// - Parameters:
    ///   - changes: each with the uptime in milliseconds after which it is refused with `.deadline` if not begun. Those
    ///     for which the queue has no room are refused with `.overloaded`.
    ///   - completion: called once, when the last result is known, with one result for each change in order; on a
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

    /// True if `pointRead` shows every answered change now. For event loops; other reads block.
    var isCurrent: Bool { get }

    /// Answers point reads of one app on one snapshot, in order. It does not wait: the snapshot shows what was answered
    /// when `isCurrent` was true.
    ///
    /// - Parameters:
    ///   - pointReads: as many as were received together: their rows are prefetched together.
    ///   - answered: called with the index of each and its answer, nil if there is no such row. If one fails the others
    ///     do not. Returns true if the next one is to be answered as well.
    func pointRead(
        _ pointReads: ArraySlice<PointRead>, of app: AppID,
        _ answered: (Int, Result<PointReadResult?, RegistryError>) -> Bool
    )

    /// Answers point reads of one app on every answered change, while no snapshot shows them: between two slices of the
    /// changes that are being applied.
    ///
    /// - Parameters:
    ///   - pointReads: few enough that their answers may be in memory together.
    ///   - completion: called once, on a thread of the registry or the caller's, with the answers in order. Must not
    ///     block.
    func submitPointReads(
        _ pointReads: [PointRead], of app: AppID,
        completion: @escaping @Sendable ([Result<PointReadResult?, RegistryError>]) -> Void
    )

    /// The status of a message; nil if the app has no such message.
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

    /// Unfinished messages of a queue, by id, after `message`; looks at no more than `limit`. Found without going
    /// through other queues.
    func unfinishedMessages(
        in queue: OutboxQueue, after message: MessageID?, limit: Int
    ) throws(RegistryError) -> OutboxPage

    /// The first page at or after `page` that has pending recipients, with the tokens of this moment; nil if there is
    /// none.
    ///
    /// The pages of a list are fixed at acceptance. Any other audience is evaluated now: the devices that are in it
    /// now, had registered before the acceptance, and have no outcome yet. The recipients of a page are fixed when its
    /// first outcome is on disk.
    func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage?

    /// A page read again: the recipients that are still pending. A device that has left the audience since has that
    /// ending.
    func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage?

    /// Reads a page as `nextPage`, or if not `isNext` as `pendingRecipients`, between two slices of the changes that are
    /// being applied: while no snapshot is current, and without a thread that waits.
    ///
    /// - Parameter completion: called once, on a thread of the registry or the caller's. Must not block.
    func submitPageRead(
        of message: MessageID, page: UInt32, isNext: Bool,
        completion: @escaping @Sendable (Result<RecipientPage?, RegistryError>) -> Void
    )

    /// Messages of an app that `filter` admits, the newest first, before `message`; at most `limit`, looking at no more
    /// than `RegistryLimits.messagesPerRead`.
    func messages(
        of app: AppID, before message: MessageID?, limit: Int, filter: MessageFilter
    ) throws(RegistryError) -> MessageSummaryPage

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

    /// The number of the last event that a subscriber has acknowledged; nil if there is no such subscriber.
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

    /// Counts the devices for which a condition holds.
    func explain(_ condition: Condition, app: AppID) throws(RegistryError) -> Explanation

    /// The answer that a message would get: its audience is counted, and nothing is stored.
    func dryRun(_ message: Message) throws(RegistryError) -> Acceptance

    /// The changes that wait for the writer now. Costs a lock.
    var queueLoad: WriteQueueLoad { get }

    /// The size and the use of the storage now. Reads no pages.
    func statistics() throws(RegistryError) -> StorageStatistics

    /// The messages that are kept now, and the free room in the storage.
    func outboxStatistics() throws(RegistryError) -> OutboxStatistics

    /// The devices, groups and topics of each app, by name. Reads the names of all groups and topics: for a thread that
    /// may take seconds.
    func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount]

    /// Removes what retention allows (finished messages, tombstones, idempotency keys), a bounded number of rows a
    /// call. Returns true if there is more. Rows that cannot be read stay, and the others are removed.
    func sweep(now: Timestamp) throws(RegistryError) -> Bool

    /// Writes and answers the changes in the queue, and closes. Later calls fail with `.closed`.
    func close()
}

/// Limits of the registry's queue.
package enum RegistryLimits {
    /// Changes in one submission.
    package static let changesPerSubmission = 1_000
    /// Recipients of one page: the unit of fan-out, of progress and of outcome.
    package static let recipientsPerPage = 4_096
    /// Events that one read examines, the ones that its filter leaves out included.
    package static let eventsPerRead = 10_000
    /// Messages that one read of a listing examines, the ones that its filter leaves out included.
    package static let messagesPerRead = 4_096
    /// Event subscribers whose positions are kept, of all principals.
    package static let eventSubscribers = 1_000
    /// Those of one principal.
    package static let eventSubscribersPerPrincipal = 100
}
