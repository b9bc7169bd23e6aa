import CarillonCore
import CarillonLMDB

/// How far a message has come.
struct Progress: Hashable {
    /// The app of the message.
    var app: AppNumber
    /// The lane it waits in.
    var lane: Lane
    /// Whether its audience is taken page by page while it is sent.
    var isLive: Bool
    /// Of a list: pages of recipients.
    var pages: UInt32 = 0
    /// Recipients that had an outcome at acceptance.
    var endedAtOnce: UInt32 = 0
    /// Pages before this one have ended, or had nobody.
    var floor: UInt32 = 0
    /// Of a live audience: recipients counted at acceptance.
    var expected: UInt64 = 0
    var acceptedAt: Timestamp
    /// Zero while it is unfinished.
    var finishedAt: Timestamp = .zero
    /// Recipients by outcome; of a live audience, those of the pages that are fixed.
    var counts = OutcomeCounts()

    var isFinished: Bool { finishedAt != .zero }

    /// The line of the outbox that it is in while it is unfinished.
    var queue: OutboxTable.Queue { OutboxTable.Queue(lane: lane, app: app) }

    /// The answer to MESSAGE_STATUS (Protocol 8.2). Of a live audience that is not finished, whoever is counted and not fixed
    /// yet is pending.
    var status: MessageStatus {
        let counted = counts.total
        let ended = counted - counts[.pending]
        let total = isLive && !isFinished ? max(expected, counted) : counted
        let state: MessageState = isFinished ? .finished : ended == UInt64(endedAtOnce) ? .waiting : .sending
        var outcomes = counts.byOutcome
        if total > ended { outcomes[.pending] = total - ended }
        return MessageStatus(
            state: state,
            acceptedAt: acceptedAt,
            finishedAt: finishedAt,
            total: total,
            outcomes: outcomes
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

    /// Counts one less; false, and nothing changes, if there is none.
    mutating func remove(_ outcome: UInt8) -> Bool {
        guard let index = entries.firstIndex(where: { $0.outcome == outcome }) else { return false }
        entries[index].count -= 1
        if entries[index].count == 0 { entries.remove(at: index) }
        return true
    }
}

/// `progress`: message id `u64` → version `u8`, form `u8` (1 a list, 2 live), lane `u8`; app, pages, ended at once, floor,
/// `u32` each; expected, accepted at, finished at, `u64` each; `u8` n, then n times outcome `u8` and count `u64`, ascending.
struct ProgressTable {
    let database: Database

    private static let version: UInt8 = 1

    private enum Form: UInt8 {
        case list = 1
        case live = 2
    }

    /// More recipients than this no message has; it keeps sums far from overflow.
    private static let totalLimit = UInt64(UInt32.max) * UInt64(RegistryLimits.recipientsPerPage)

    /// How far a message has come.
    func get(_ transaction: borrowing some Transaction & ~Copyable, _ id: MessageID) throws -> Progress? {
        try MessageKey.with(id) { key in
            try transaction.get(database, key, Self.decode)
        }
    }

    /// Stores how far a message has come.
    func put(_ transaction: inout WriteTransaction, _ id: MessageID, _ progress: Progress) throws {
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: 44 + 9 * progress.counts.entries.count,
                { Self.encode(progress, into: &$0) },
                { value in try transaction.put(database, key, value) }
            )
        }
    }

    /// Removes a message.
    func delete(_ transaction: inout WriteTransaction, _ id: MessageID) throws {
        _ = try MessageKey.with(id) { key in try transaction.delete(database, key) }
    }

    /// Calls `body` with every message.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ body: (MessageID, Progress) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, value in
            try body(try MessageKey.message(key, of: "progress"), try Self.decode(value))
            return .goOn
        }
    }

    private static func encode(_ progress: Progress, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append((progress.isLive ? Form.live : .list).rawValue)
        writer.append(progress.lane.rawValue)
        writer.append(progress.app)
        writer.append(progress.pages)
        writer.append(progress.endedAtOnce)
        writer.append(progress.floor)
        writer.append(progress.expected)
        writer.append(progress.acceptedAt)
        writer.append(progress.finishedAt)
        writer.append(UInt8(progress.counts.entries.count))
        for entry in progress.counts.entries {
            writer.append(entry.outcome)
            writer.append(entry.count)
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> Progress {
        try ByteReader.read(value, of: "progress") { reader in
            try reader.version(version)
            let isLive = try reader.value(Form.self) == .live
            let lane: Lane = try reader.value()
            var progress = Progress(
                app: try reader.number(),
                lane: lane,
                isLive: isLive,
                pages: try reader.number(),
                endedAtOnce: try reader.number(),
                floor: try reader.number(),
                expected: try reader.number(),
                acceptedAt: try reader.time(),
                finishedAt: try reader.time()
            )
            guard progress.expected <= totalLimit else { throw reader.corrupted("a count") }
            var total: UInt64 = 0
            for _ in 0..<(try reader.number(UInt8.self)) {
                let outcome: UInt8 = try reader.number()
                let count: UInt64 = try reader.number()
                guard count > 0, count <= totalLimit - total else { throw reader.corrupted("a count") }
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
