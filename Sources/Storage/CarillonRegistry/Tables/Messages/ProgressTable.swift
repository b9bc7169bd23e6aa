import CarillonCore
import CarillonLMDB

/// The table of the progress of messages.
///
/// `progress`: message id `u64` → the fields of its progress, in this order. A time or a pace of zero stands for none.
///
/// - version `u8`
/// - form `u8`: 1 a list, 2 live, 3 live and not counted
/// - lane `u8`
/// - push type `u8`
/// - hold `u8`: 1 none, 2 scheduled, 3 paused
/// - cancelled `u8`: 1 if it is
/// - app `u32`
/// - pages `u32`
/// - ended at acceptance `u32`
/// - first pending page `u32`
/// - pace `u32`
/// - expected `u64`
/// - accepted at `u64`
/// - finished at `u64`
/// - send at `u64`
/// - sendable since `u64`
/// - received `u64`
/// - opened `u64`
/// - counts: number `u8`; for each the outcome `u8` and its count `u64`, in ascending order of the outcomes
struct ProgressTable {
    let database: Database

    private static let version: UInt8 = 1
    /// The bytes of a row before the counts, with their number.
    private static let headBytes = 83
    /// The bytes of the count of one outcome.
    private static let countBytes = 9

    private enum Form: UInt8 {
        case list = 1
        case live = 2
        case uncounted = 3
    }

    /// The most recipients of a message; keeps sums far from overflow.
    static let maximumTotal = UInt64(UInt32.max) * UInt64(RegistryLimits.recipientsPerPage)

    func get(_ id: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> MessageProgress? {
        try MessageKey.with(id) { key in
            try transaction.get(key, in: database, Self.decode)
        }
    }

    func put(_ progress: MessageProgress, for id: MessageID, in transaction: inout WriteTransaction) throws {
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: Self.headBytes + Self.countBytes * progress.counts.elements.count,
                { Self.encode(progress, into: &$0) },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ id: MessageID, in transaction: inout WriteTransaction) throws {
        _ = try MessageKey.with(id) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, MessageProgress) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(try MessageKey.message(key, of: "progress"), try Self.decode(value))
            return .proceed
        }
    }

    private static func encode(_ progress: MessageProgress, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append((progress.isLive ? progress.isCounted ? Form.live : .uncounted : .list).rawValue)
        writer.append(progress.lane.rawValue)
        writer.append(progress.pushType.rawValue)
        writer.append(progress.hold.rawValue)
        writer.append(UInt8(progress.isCancelled ? 1 : 0))
        writer.append(progress.app)
        writer.append(progress.pageCount)
        writer.append(progress.endedAtAcceptance)
        writer.append(progress.firstPendingPage)
        writer.append(progress.pace ?? 0)
        writer.append(progress.expectedCount)
        writer.append(progress.acceptedAt)
        writer.append(stored(progress.finishedAt))
        writer.append(stored(progress.sendAt))
        writer.append(stored(progress.sendableSince))
        writer.append(progress.receivedCount)
        writer.append(progress.openedCount)
        writer.append(UInt8(progress.counts.elements.count))
        for element in progress.counts.elements {
            writer.append(element.outcome)
            writer.append(element.count)
        }
    }

    /// Returns a time in its stored form. A known time is never stored as zero, because zero stands for none.
    private static func stored(_ time: Timestamp?) -> Timestamp {
        time.map { max($0, Timestamp(milliseconds: 1)) } ?? .zero
    }

    private static func optionalTime(_ reader: inout ByteReader) throws -> Timestamp? {
        let time = try reader.time()
        return time == .zero ? nil : time
    }

    private static func decode(_ value: Span<UInt8>) throws -> MessageProgress {
        try ByteReader.read(value, of: "progress") { reader in
            try reader.version(version)
            let form = try reader.value(Form.self)
            let isLive = form != .list
            let lane: Lane = try reader.value()
            let pushType: PushType = try reader.value()
            let hold: MessageProgress.Hold = try reader.value()
            let isCancelled = try reader.number(UInt8.self) != 0
            var progress = MessageProgress(
                app: try reader.number(), lane: lane, pushType: pushType, isLive: isLive, acceptedAt: .zero)
            progress.isCounted = form != .uncounted
            progress.hold = hold
            progress.isCancelled = isCancelled
            progress.pageCount = try reader.number()
            progress.endedAtAcceptance = try reader.number()
            progress.firstPendingPage = try reader.number()
            let pace: UInt32 = try reader.number()
            progress.pace = pace == 0 ? nil : pace
            progress.expectedCount = try reader.number()
            progress.acceptedAt = try reader.time()
            progress.finishedAt = try optionalTime(&reader)
            progress.sendAt = try optionalTime(&reader)
            progress.sendableSince = try optionalTime(&reader)
            progress.receivedCount = try reader.number()
            progress.openedCount = try reader.number()
            guard max(progress.receivedCount, progress.openedCount) <= maximumTotal else {
                throw reader.corrupted("an invalid count")
            }
            guard progress.expectedCount <= maximumTotal else { throw reader.corrupted("an invalid count") }
            progress.counts = try counts(&reader)
            let pageSize = UInt64(RegistryLimits.recipientsPerPage)
            guard UInt64(progress.pageCount) == (isLive ? 0 : (progress.counts.total + pageSize - 1) / pageSize) else {
                throw reader.corrupted("pages that do not fit the total")
            }
            return progress
        }
    }

    private static func counts(_ reader: inout ByteReader) throws -> OutcomeCounts {
        var counts = OutcomeCounts()
        for _ in 0..<(try reader.number(UInt8.self)) {
            let outcome: UInt8 = try reader.number()
            let count: UInt64 = try reader.number()
            guard count > 0, count <= maximumTotal - counts.total else { throw reader.corrupted("an invalid count") }
            guard counts.elements.last.map({ $0.outcome < outcome }) ?? true else {
                throw reader.corrupted("outcomes out of order")
            }
            counts.add(outcome, count: count)
        }
        return counts
    }
}
