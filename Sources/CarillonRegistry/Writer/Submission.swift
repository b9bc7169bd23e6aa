import CarillonCore

/// One unit of work that waits for the writer.
struct Submission: Sendable {
    let work: Work
    /// The time after which the work is refused if it has not begun; nil if there is none.
    let deadline: Uptime?
    /// The number of changes, for limits.
    let count: Int
    /// Roughly the bytes of the changes, for limits.
    let bytes: Int
    /// Called once, without a lock held, with as many answers as there are changes.
    private let completion: Completion

    enum Work: Hashable, Sendable {
        /// The usual case, which needs no list.
        case change(Change)
        case changes([Change])
        case sweep(now: Timestamp)
    }

    enum Answer: Hashable, Sendable {
        case change(ChangeAnswer)
        case changes([ChangeAnswer])
        case swept(hasMore: Bool)
    }

    private enum Completion: Sendable {
        case change(@Sendable (Result<ChangeAnswer, RegistryError>) -> Void)
        /// One of several changes that are answered together.
        case oneOf(CompletionBarrier, index: Int)
        case changes(@Sendable (Result<[ChangeAnswer], RegistryError>) -> Void)
        case sweep(BlockingResult)
    }

    /// - Parameter chunks: the number of chunks of the largest app.
    init(
        _ change: Change, deadline: Uptime?, chunks: Int,
        _ completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    ) {
        self.init(change, deadline: deadline, chunks: chunks, .change(completion))
    }

    /// One of the changes that are answered together.
    init(_ change: Change, deadline: Uptime?, chunks: Int, barrier: CompletionBarrier, index: Int) {
        self.init(change, deadline: deadline, chunks: chunks, .oneOf(barrier, index: index))
    }

    private init(_ change: Change, deadline: Uptime?, chunks: Int, _ completion: Completion) {
        var bytes = 64 + change.approximateBytes
        if case .accept(let message, _, _) = change { bytes += message.audience.countingBytes(chunks: chunks) }
        (count, self.bytes) = (1, bytes)
        work = .change(change)
        self.deadline = deadline
        self.completion = completion
    }

    /// Changes that take effect together.
    init(
        _ changes: [Change], deadline: Uptime?,
        _ completion: @escaping @Sendable (Result<[ChangeAnswer], RegistryError>) -> Void
    ) {
        (count, bytes) = (max(1, changes.count), changes.reduce(64) { $0 + $1.approximateBytes })
        work = .changes(changes)
        self.deadline = deadline
        self.completion = .changes(completion)
    }

    /// A sweep; its result is true if there is more to remove.
    init(sweep now: Timestamp, _ result: BlockingResult) {
        (count, bytes) = (1, 64)
        work = .sweep(now: now)
        deadline = nil
        completion = .sweep(result)
    }

    /// Calls the completion with the answer, which must be of the same kind as the work, or with the error.
    func complete(_ result: Result<Answer, RegistryError>) {
        switch (completion, result) {
        case (.change(let completion), .success(.change(let answer))): completion(.success(answer))
        case (.change(let completion), .failure(let error)): completion(.failure(error))
        case (.oneOf(let barrier, let index), .success(.change(let answer))): barrier.set(.success(answer), at: index)
        case (.oneOf(let barrier, let index), .failure(let error)): barrier.set(.failure(error), at: index)
        case (.changes(let completion), .success(.changes(let answers))): completion(.success(answers))
        case (.changes(let completion), .failure(let error)): completion(.failure(error))
        case (.sweep(let reply), .success(.swept(let hasMore))): reply.set(.success(hasMore))
        case (.sweep(let reply), .failure(let error)): reply.set(.failure(error))
        default: preconditionFailure("the answer of another kind of work")
        }
    }
}

extension Change {
    /// Roughly the bytes that the change takes in memory and on disk.
    fileprivate var approximateBytes: Int {
        switch self {
        case .register(let registration, _): 256 + 64 * (registration.topics.count + registration.groups.count)
        case .unregister, .updateDevice, .updateGroup, .finish, .updateMessage, .restore, .acknowledge,
            .forgetSubscriber, .configure, .claim:
            256
        case .appendEvent(let event): 256 + (event.text?.utf8.count ?? 0)
        // The recipients that they copy are written page by page; the contents count as one message.
        case .resend, .releaseScheduled: 8_192
        case .countReceipts(let request, _): 64 + 128 * request.receipts.count
        case .join(let join, _, _): 256 + 128 * join.devices.count + (join.announcement?.approximateBytes ?? 0)
        case .leave(let leave): 256 + 128 * leave.devices.count
        case .subscribe(let subscription), .unsubscribe(let subscription): subscription.approximateBytes
        case .accept(let message, _, _): 512 + message.content.approximateBytes + message.audience.approximateBytes
        case .recordOutcomes(let record, _):
            128 + 64 * record.entries.count + 32 * record.delays.count + 192 * record.attempts.count
        }
    }
}

extension MessageContent {
    fileprivate var approximateBytes: Int { bodies.reduce(payload.count) { $0 + 64 + $1.payload.count } }
}

extension Audience {
    /// Bytes that take about as long to write as one set takes to read in one chunk.
    private static let bytesPerTerm = 16
    /// No audience counts for more than this, the bytes of one batch: so it is admitted however large the app is.
    private static let maximumBytes = 4 << 20

    /// The cost of counting the audience, in bytes that take about as long to write.
    ///
    /// - Parameter chunks: the number of chunks of the app.
    func countingBytes(chunks: Int) -> Int {
        guard case .condition(let condition) = self else { return 0 }
        return min(Self.bytesPerTerm * condition.setNames.count * min(chunks, Self.maximumBytes), Self.maximumBytes)
    }
    fileprivate var approximateBytes: Int {
        switch self {
        case .devices(let devices): 128 * devices.count
        case .groups(let groups): 256 * groups.count
        case .condition: Condition.maximumBytes
        case .topic, .all: 256
        }
    }
}

extension Subscription {
    /// Each pair of a topic and a source changes a posting.
    fileprivate var approximateBytes: Int {
        let sources = devices.count + groups.count
        return 256 + 256 * (topics.count + sources) + 64 * topics.count * sources
    }
}
