import CarillonCore
import CarillonLMDB

/// The table in which an unfinished message waits.
enum OutboxState: UInt8 {
    /// In the outbox. Finished messages keep this value.
    case active = 1
    /// In the schedule.
    case scheduled = 2
    /// In neither, until the message is resumed.
    case paused = 3
}

/// The progress of a message.
struct Progress: Hashable {
    /// The app of the message.
    var app: AppNumber
    /// The lane it waits in.
    var lane: Lane
    /// The kind of push.
    var pushType: PushType
    /// The table in which it waits.
    var outboxState = OutboxState.active
    /// True if it was cancelled: the pending recipients end as cancelled.
    var isCancelled = false
    /// True if its audience is evaluated page by page while it is sent.
    var isLive: Bool
    /// Pages of recipients of a list; 0 for a live audience.
    var pages: UInt32 = 0
    /// Recipients that had an outcome at acceptance.
    var endedAtOnce: UInt32 = 0
    /// Pages before this one have no pending recipients.
    var floor: UInt32 = 0
    /// Recipients of a live audience, counted at acceptance.
    var expected: UInt64 = 0
    /// False while the recipients of a live audience are not counted, because it takes long; `expected` is 0 then.
    var isCounted = true
    var acceptedAt: Timestamp
    /// Zero while it is unfinished.
    var finishedAt: Timestamp = .zero
    /// When it is to be sent; zero if it was not scheduled.
    var sendAt: Timestamp = .zero
    /// Since when it can be sent, with its audience fixed; zero while it is scheduled.
    var sendableSince: Timestamp = .zero
    /// Deliveries a second at most; 0 = no bound.
    var pace: UInt32 = 0
    /// Recipients with a receipt of each kind.
    var received: UInt64 = 0
    var opened: UInt64 = 0
    /// Recipients by outcome; of a live audience, the recipients of fixed pages.
    var counts = OutcomeCounts()

    var isFinished: Bool { finishedAt != .zero }

    /// Its queue in the outbox.
    var queue: OutboxTable.Queue { OutboxTable.Queue(lane: lane, app: app) }

    /// The number of recipients. While a message to a live audience is unfinished, the ones that are counted but not
    /// fixed yet included.
    var total: UInt64 { isLive && !isFinished ? max(expected, counts.total) : counts.total }

    /// Recipients with an outcome.
    var ended: UInt64 { counts.total - counts[.pending] }

    /// The state (Protocol 8.2).
    var state: MessageState {
        if isFinished { return .finished }
        return switch outboxState {
        case .scheduled: .scheduled
        case .paused: .paused
        case .active: ended == UInt64(endedAtOnce) ? .waiting : .sending
        }
    }

    /// The answer to MESSAGE_STATUS (Protocol 8.2), without its audience and its rate.
    var status: MessageStatus {
        var outcomes = counts.byOutcome
        if total > ended { outcomes[.pending] = total - ended }
        return MessageStatus(
            state: state,
            acceptedAt: acceptedAt,
            finishedAt: finishedAt,
            total: total,
            outcomes: outcomes,
            sendAt: sendAt == .zero ? nil : sendAt,
            pace: pace == 0 ? nil : pace,
            received: received,
            opened: opened
        )
    }
}

/// Recipients by outcome, ascending, none with 0. The total is at most `UInt32.max` pages of recipients.
struct OutcomeCounts: Hashable {
    private(set) var entries: [Entry] = []

    struct Entry: Hashable {
        var outcome: UInt8
        var count: UInt64
    }

    /// All recipients.
    var total: UInt64 { entries.reduce(0) { $0 + $1.count } }

    /// The entries by outcome.
    var byOutcome: [Outcome: UInt64] {
        Dictionary(uniqueKeysWithValues: entries.map { (Outcome(rawValue: $0.outcome), $0.count) })
    }

    /// Recipients with that outcome.
    subscript(outcome: Outcome) -> UInt64 {
        entries.first { $0.outcome == outcome.rawValue }?.count ?? 0
    }

    /// Counts `count` more.
    mutating func add(_ outcome: UInt8, count: UInt64 = 1) {
        let index = entries.firstIndex { $0.outcome >= outcome } ?? entries.count
        if index < entries.count, entries[index].outcome == outcome {
            entries[index].count += count
        } else {
            entries.insert(Entry(outcome: outcome, count: count), at: index)
        }
    }

    /// Counts `count` less; false, and nothing changes, if there are fewer.
    mutating func remove(_ outcome: UInt8, count: UInt64 = 1) -> Bool {
        guard count > 0 else { return true }
        guard let index = entries.firstIndex(where: { $0.outcome == outcome }), entries[index].count >= count else {
            return false
        }
        entries[index].count -= count
        if entries[index].count == 0 { entries.remove(at: index) }
        return true
    }
}

/// `progress`: message id `u64` → version `u8`, form `u8` (1 a list, 2 live, 3 live and not counted), lane, push type, outbox state, whether it
/// is cancelled, `u8` each; app, pages, ended at once, floor, pace, `u32` each; expected, accepted at, finished at,
/// send at, started at, received, opened, `u64` each; `u8` n, then n times outcome `u8` and count `u64`, ascending.
struct ProgressTable {
    let database: Database

    private static let version: UInt8 = 1

    private enum Form: UInt8 {
        case list = 1
        case live = 2
        case uncounted = 3
    }

    /// The most recipients of a message; keeps sums far from overflow.
    static let maximumTotal = UInt64(UInt32.max) * UInt64(RegistryLimits.recipientsPerPage)

    /// The progress of a message.
    func get(_ id: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> Progress? {
        try MessageKey.with(id) { key in
            try transaction.get(key, in: database, Self.decode)
        }
    }

    /// Stores the progress of a message.
    func put(_ progress: Progress, for id: MessageID, in transaction: inout WriteTransaction) throws {
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: 83 + 9 * progress.counts.entries.count,
                { Self.encode(progress, into: &$0) },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    /// Removes a message.
    func delete(_ id: MessageID, in transaction: inout WriteTransaction) throws {
        _ = try MessageKey.with(id) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with every message.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, Progress) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(try MessageKey.message(key, of: "progress"), try Self.decode(value))
            return .proceed
        }
    }

    private static func encode(_ progress: Progress, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append((progress.isLive ? progress.isCounted ? Form.live : .uncounted : .list).rawValue)
        writer.append(progress.lane.rawValue)
        writer.append(progress.pushType.rawValue)
        writer.append(progress.outboxState.rawValue)
        writer.append(UInt8(progress.isCancelled ? 1 : 0))
        writer.append(progress.app)
        writer.append(progress.pages)
        writer.append(progress.endedAtOnce)
        writer.append(progress.floor)
        writer.append(progress.pace)
        writer.append(progress.expected)
        writer.append(progress.acceptedAt)
        writer.append(progress.finishedAt)
        writer.append(progress.sendAt)
        writer.append(progress.sendableSince)
        writer.append(progress.received)
        writer.append(progress.opened)
        writer.append(UInt8(progress.counts.entries.count))
        for entry in progress.counts.entries {
            writer.append(entry.outcome)
            writer.append(entry.count)
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> Progress {
        try ByteReader.read(value, of: "progress") { reader in
            try reader.version(version)
            let form = try reader.value(Form.self)
            let isLive = form != .list
            let lane: Lane = try reader.value()
            let pushType: PushType = try reader.value()
            let outboxState: OutboxState = try reader.value()
            let isCancelled = try reader.number(UInt8.self) != 0
            var progress = Progress(
                app: try reader.number(), lane: lane, pushType: pushType, isLive: isLive, acceptedAt: .zero)
            progress.isCounted = form != .uncounted
            progress.outboxState = outboxState
            progress.isCancelled = isCancelled
            progress.pages = try reader.number()
            progress.endedAtOnce = try reader.number()
            progress.floor = try reader.number()
            progress.pace = try reader.number()
            progress.expected = try reader.number()
            progress.acceptedAt = try reader.time()
            progress.finishedAt = try reader.time()
            progress.sendAt = try reader.time()
            progress.sendableSince = try reader.time()
            progress.received = try reader.number()
            progress.opened = try reader.number()
            guard max(progress.received, progress.opened) <= maximumTotal else { throw reader.corrupted("a count") }
            guard progress.expected <= maximumTotal else { throw reader.corrupted("a count") }
            var total: UInt64 = 0
            for _ in 0..<(try reader.number(UInt8.self)) {
                let outcome: UInt8 = try reader.number()
                let count: UInt64 = try reader.number()
                guard count > 0, count <= maximumTotal - total else { throw reader.corrupted("a count") }
                guard progress.counts.entries.last.map({ $0.outcome < outcome }) ?? true else {
                    throw reader.corrupted("outcomes out of order")
                }
                total += count
                progress.counts.add(outcome, count: count)
            }
            let pageSize = UInt64(RegistryLimits.recipientsPerPage)
            guard UInt64(progress.pages) == (isLive ? 0 : (total + pageSize - 1) / pageSize) else {
                throw reader.corrupted("pages that do not fit the total")
            }
            return progress
        }
    }
}
