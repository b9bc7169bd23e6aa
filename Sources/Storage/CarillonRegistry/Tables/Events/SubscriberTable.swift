import CarillonCore
import CarillonLMDB

/// The position of a subscriber in the events.
struct SubscriberRecord: Hashable {
    /// The number of the last event that the subscriber has acknowledged.
    var acknowledgedSequence: UInt64
    /// The time of the last acknowledgement.
    var usedAt: Timestamp
}

/// The table of the subscribers of events.
///
/// `subscribers`: principal after a `u8` length, name → version `u8`, acknowledged `u64`, used at `u64`.
struct SubscriberTable {
    let database: Database

    private static let version: UInt8 = 1
    /// The most bytes that the two names of a key take.
    static let maximumNameBytes = 400

    /// Returns the position of a subscriber; nil if the subscriber has never acknowledged an event.
    func get(
        _ subscriber: EventSubscriber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SubscriberRecord? {
        guard Self.canKeep(subscriber) else { return nil }
        return try withKey(subscriber) { key in try transaction.get(key, in: database, Self.decode) }
    }

    func put(
        _ record: SubscriberRecord, for subscriber: EventSubscriber, in transaction: inout WriteTransaction
    ) throws {
        try withKey(subscriber) { key in
            try ByteWriter.withBytes(
                capacity: 1 + 2 * UInt64.byteCount,
                {
                    $0.append(Self.version)
                    $0.append(record.acknowledgedSequence)
                    $0.append(record.usedAt)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    /// Removes a subscriber; returns true if there was one.
    func delete(_ subscriber: EventSubscriber, in transaction: inout WriteTransaction) throws -> Bool {
        try withKey(subscriber) { key in try transaction.delete(key, in: database) }
    }

    /// Returns the number of subscribers of a principal, including rows that cannot be read.
    func count(of principal: String, in transaction: borrowing some Transaction & ~Copyable) throws -> Int {
        var count = 0
        _ = try ByteWriter.withBytes(
            capacity: Database.keyBytes.upperBound,
            { $0.append(text: principal) },
            { prefix in
                try transaction.forEach(in: database, prefix: prefix) { _, _ in
                    count += 1
                    return .proceed
                }
            })
        return count
    }

    /// Calls `body` with every subscriber. Without `onUnreadable` a row that cannot be read is an error.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        onUnreadable: RowFault? = nil,
        _ body: (EventSubscriber, SubscriberRecord) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let row = try readRow(key, onUnreadable: onUnreadable) { (try Self.readKey(key), try Self.decode(value)) }
            if let (name, record) = row { try body(name, record) }
            return .proceed
        }
    }

    private static func readKey(_ key: Span<UInt8>) throws -> EventSubscriber {
        try ByteReader.read(key, of: "subscribers") { reader in
            let principal = try reader.text() ?? ""
            guard let name = String(validating: try reader.take(reader.remaining), as: UTF8.self) else {
                throw reader.corrupted("not UTF-8")
            }
            return EventSubscriber(principal: principal, name: name)
        }
    }

    /// Returns true if the names fit a key.
    static func canKeep(_ subscriber: EventSubscriber) -> Bool {
        subscriber.principal.utf8.count <= Int(UInt8.max)
            && subscriber.principal.utf8.count + subscriber.name.utf8.count <= maximumNameBytes
    }

    private func withKey<R>(_ subscriber: EventSubscriber, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            // A name in a stored key may be longer than the names that this program writes.
            capacity: Database.keyBytes.upperBound,
            {
                $0.append(text: subscriber.principal)
                $0.append(contentsOf: subscriber.name.utf8)
            },
            body
        )
    }

    private static func decode(_ value: Span<UInt8>) throws -> SubscriberRecord {
        try ByteReader.read(value, of: "subscribers") { reader in
            try reader.version(version)
            return SubscriberRecord(acknowledgedSequence: try reader.number(), usedAt: try reader.time())
        }
    }
}
