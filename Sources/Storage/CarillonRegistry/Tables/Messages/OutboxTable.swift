import CarillonCore
import CarillonLMDB

/// The table of the messages that can be sent now.
///
/// `outbox`: lane `u8`, app `u32`, message id `u64` → empty. Exactly the messages that are neither finished nor
/// paused nor scheduled.
struct OutboxTable {
    let database: Database

    /// A queue of the outbox: the messages of an app in a lane.
    struct StoredQueue: Hashable {
        var lane: Lane
        var app: AppNumber
    }

    func insert(_ id: MessageID, queue: StoredQueue, in transaction: inout WriteTransaction) throws {
        try withKey(queue: queue, id) { key in try transaction.put([UInt8]().span, for: key, in: database) }
    }

    func delete(_ id: MessageID, queue: StoredQueue, in transaction: inout WriteTransaction) throws {
        _ = try withKey(queue: queue, id) { key in try transaction.delete(key, in: database) }
    }

    /// Returns true if the message is in the table, so it can be sent now.
    func contains(
        _ id: MessageID, queue: StoredQueue, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try withKey(queue: queue, id) { key in try transaction.contains(key, in: database) }
    }

    /// Returns the queues that have a message.
    func queues(in transaction: borrowing some Transaction & ~Copyable) throws -> [StoredQueue] {
        try transaction.withCursor(in: database) { cursor in
            var queues: [StoredQueue] = []
            var isFound = try cursor.moveToFirst()
            while isFound, let queue = try cursor.withCurrent({ key, _ in try Self.readKey(key).queue }) {
                queues.append(queue)
                isFound = try withKey(queue: queue, MessageID(rawValue: .max)) { try cursor.seek($0) }
                // No message has the greatest id; if one had, its queue would be known already.
                if isFound, try cursor.withCurrent({ key, _ in try Self.readKey(key).queue }) == queue {
                    isFound = try cursor.moveToNext()
                }
            }
            return queues
        }
    }

    /// Returns at most `limit` messages of a queue after `id`, ascending.
    func messages(
        queue: StoredQueue, after id: MessageID?, limit: Int, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [MessageID] {
        guard limit > 0, id?.rawValue != .max else { return [] }
        var found: [MessageID] = []
        try withKey(queue: queue, MessageID(rawValue: id.map { $0.rawValue + 1 } ?? 0)) { from in
            _ = try transaction.forEach(in: database, from: from, limit: limit) { key, _ in
                let (messageQueue, message) = try Self.readKey(key)
                guard messageQueue == queue else { return .stop }
                found.append(message)
                return .proceed
            }
        }
        return found
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (StoredQueue, MessageID) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let (queue, message) = try Self.readKey(key)
            try body(queue, message)
            return .proceed
        }
    }

    private func withKey<R>(queue: StoredQueue, _ id: MessageID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 1 + AppNumber.byteCount + UInt64.byteCount,
            {
                $0.append(queue.lane.rawValue)
                $0.append(queue.app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    private static func readKey(_ key: Span<UInt8>) throws -> (queue: StoredQueue, message: MessageID) {
        try ByteReader.read(key, of: "outbox") {
            (StoredQueue(lane: try $0.value(), app: try $0.number()), MessageID(rawValue: try $0.number()))
        }
    }
}
