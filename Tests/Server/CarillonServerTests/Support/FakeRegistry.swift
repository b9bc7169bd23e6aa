import CarillonCore
import Synchronization

/// A registry without storage: it gives every change the answer that the test wants, and finds only the messages that
/// the test has put into its outbox. Changes are answered before `submit` returns.
final class FakeRegistry: Registry {
    private struct State {
        var changes: [Change] = []
        var submissions: [[Change]] = []
        var isSnapshotCurrent: Bool
        var delayed: [@Sendable () -> Void] = []
        var outbox: [OutboundMessage] = []
        var unreadable: [UnreadableMessage] = []
        var pages: [MessageID: RecipientPage] = [:]
        var pageErrors: [RegistryError] = []
    }

    private let answer: @Sendable (Change) throws(RegistryError) -> ChangeAnswer
    private let count: @Sendable (MessageID) throws(RegistryError) -> UInt64?
    private let state: Mutex<State>
    /// The number of point reads of one submission that are answered together.
    private let readsPerTurn: Int
    /// The point reads that a snapshot answers even while it is not current.
    private let unchanged: Set<PointRead>

    /// Makes a registry with an empty outbox.
    ///
    /// - Parameters:
    ///   - isSnapshotCurrent: false if point reads wait for `becomeCurrent`.
    ///   - readsPerTurn: the number of point reads of one submission that are answered together.
    ///   - unchanged: point reads that do not wait.
    ///   - count: counts the audience of a message.
    ///   - answer: makes the answer to each change.
    init(
        isSnapshotCurrent: Bool = true, readsPerTurn: Int = .max, unchanged: Set<PointRead> = [],
        count: @escaping @Sendable (MessageID) throws(RegistryError) -> UInt64? = { _ throws(RegistryError) in nil },
        answer: @escaping @Sendable (Change) throws(RegistryError) -> ChangeAnswer
    ) {
        state = Mutex(State(isSnapshotCurrent: isSnapshotCurrent))
        self.readsPerTurn = readsPerTurn
        self.unchanged = unchanged
        self.count = count
        self.answer = answer
    }

    /// The changes that were submitted each for itself, by submission.
    var submissions: [[Change]] { state.withLock { $0.submissions } }

    /// The changes that have reached the registry.
    var changes: [Change] { state.withLock { $0.changes } }

    /// Lets the point reads that wait go on.
    func becomeCurrent() {
        state.withLock { $0.isSnapshotCurrent = true }
        answerReads()
    }

    /// Answers the point reads that wait, as the writer does. Returns the number of calls that had waited.
    @discardableResult
    func answerReads() -> Int {
        let delayed = state.withLock { state in
            defer { state.delayed = [] }
            return state.delayed
        }
        for body in delayed { body() }
        return delayed.count
    }

    // MARK: Changes

    func submit(
        _ change: Change, deadline: Uptime?,
        completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    ) {
        completion(apply(change))
    }

    func submitEach(
        _ changes: [(change: Change, deadline: Uptime?)],
        completion: @escaping @Sendable ([Result<ChangeAnswer, RegistryError>]) -> Void
    ) {
        state.withLock { $0.submissions.append(changes.map(\.change)) }
        completion(changes.map { apply($0.change) })
    }

    func submit(
        _ changes: [Change], deadline: Uptime?,
        completion: @escaping @Sendable (Result<[ChangeAnswer], RegistryError>) -> Void
    ) {
        completion(
            Result { () throws(RegistryError) in
                var answers: [ChangeAnswer] = []
                for change in changes { answers.append(try apply(change).get()) }
                return answers
            })
    }

    private func apply(_ change: Change) -> Result<ChangeAnswer, RegistryError> {
        state.withLock { $0.changes.append(change) }
        return Result { () throws(RegistryError) in try answer(change) }
    }

    // MARK: The outbox

    /// Puts a message of one page into the outbox.
    func hold(_ outbound: OutboundMessage, _ page: RecipientPage) {
        state.withLock { state in
            state.outbox.append(outbound)
            state.pages[outbound.id] = page
        }
    }

    /// Puts a message that cannot be read into the outbox.
    func hold(_ unreadable: UnreadableMessage) { state.withLock { $0.unreadable.append(unreadable) } }

    /// Makes the next reads of pages fail, one with each error.
    func failPages(_ errors: RegistryError...) { state.withLock { $0.pageErrors += errors } }

    func outboxQueues() throws(RegistryError) -> Set<OutboxQueue> { state.withLock { Set($0.outbox.map(\.queue)) } }

    func unfinishedMessages(
        in queue: OutboxQueue, after message: MessageID?, limit: Int
    ) throws(RegistryError) -> OutboxPage {
        state.withLock { state in
            let messages = state.outbox.filter { outbound in
                outbound.queue == queue && message.map { $0 < outbound.id } ?? true
            }
            return OutboxPage(messages: messages, unreadable: state.unreadable, last: messages.last?.id, isEnd: true)
        }
    }

    func submitPageRead(
        of message: MessageID, page: UInt32, isNext: Bool, completion: @escaping @Sendable (@escaping PageRead) -> Void
    ) {
        completion { [self] () throws(RegistryError) in
            isNext ? try nextPage(of: message, from: page) : try pendingRecipients(of: message, page: page)
        }
    }

    func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage? {
        page == 0 ? try pendingRecipients(of: message, page: 0) : nil
    }

    func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage? {
        try state.withLock { state throws(RegistryError) in
            if !state.pageErrors.isEmpty { throw state.pageErrors.removeFirst() }
            return state.pages[message]
        }
    }

    // MARK: Point reads

    var isSnapshotCurrent: Bool { state.withLock { $0.isSnapshotCurrent } }

    func submitPointReads(
        _ pointReads: [PointRead], of app: AppID, for principal: String,
        completion: @escaping @Sendable ([Result<PointReadResult?, RegistryError>]) -> Void
    ) {
        let answered = pointReads.prefix(readsPerTurn)
        state.withLock { $0.delayed.append { completion(answered.map { _ in .success(nil) }) } }
    }

    func pointRead(
        _ pointReads: ArraySlice<PointRead>, of app: AppID,
        _ answered: (Int, Result<PointReadResult?, RegistryError>?) -> Bool
    ) {
        let isSnapshotCurrent = isSnapshotCurrent
        for (index, read) in zip(pointReads.indices, pointReads) {
            let isShown = isSnapshotCurrent || unchanged.contains(read)
            guard answered(index, isShown ? .success(nil) : nil) else { return }
        }
    }

    // MARK: Other reads

    let epoch = UUIDBytes.zero
    let queueLoad = WriteQueueLoad(changes: 0, bytes: 0)

    func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus? { nil }
    func devices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DevicePage { throw .closed }
    func outcomes(
        of message: MessageID, app: AppID, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage? { nil }
    func messages(
        of app: AppID, before message: MessageID?, limit: Int, filter: MessageFilter
    ) throws(RegistryError) -> MessageSummaryPage { MessageSummaryPage(next: nil, rows: []) }
    func content(of message: MessageID, app: AppID) throws(RegistryError) -> MessageContent? { nil }
    func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult { throw .closed }
    func receipts(
        of message: MessageID, app: AppID, kind: ReceiptKind, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> DeviceIDPage? { nil }
    func quarantinedDevices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceIDPage {
        throw .closed
    }
    func newestEventSequence() throws(RegistryError) -> UInt64 { 0 }
    func oldestEventSequence() throws(RegistryError) -> UInt64? { nil }
    func events(after sequence: UInt64, limit: Int, filter: EventFilter) throws(RegistryError) -> EventPage {
        throw .closed
    }
    func acknowledgedSequence(by subscriber: EventSubscriber) throws(RegistryError) -> UInt64? { nil }
    func groups(of app: AppID, prefix: String, after: String, limit: Int) throws(RegistryError) -> NamedSetPage {
        throw .closed
    }
    func topics(of app: AppID, prefix: String, after: String, limit: Int) throws(RegistryError) -> NamedSetPage {
        throw .closed
    }
    func topics(
        of group: GroupName, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> NamedSetPage { throw .closed }
    func devices(in set: SetName, of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceIDPage {
        throw .closed
    }
    func memberships(
        of device: DeviceReference, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> Memberships? { nil }
    func explain(_ condition: Condition, app: AppID) throws(RegistryError) -> Explanation { throw .closed }
    func audienceCount(of message: MessageID) throws(RegistryError) -> UInt64? { try count(message) }
    func dryRun(_ message: Message) throws(RegistryError) -> SendResult { throw .closed }
    func statistics() throws(RegistryError) -> StorageStatistics { throw .closed }
    func outboxStatistics() throws(RegistryError) -> OutboxStatistics { throw .closed }
    func registryCounts() throws(RegistryError) -> [ServerStatistics.AppCount] { [] }
    func sweep(now: Timestamp) throws(RegistryError) -> Completeness { .complete }
    func close() {}
}
