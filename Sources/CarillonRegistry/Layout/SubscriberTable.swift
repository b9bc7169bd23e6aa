import CarillonCore
import CarillonLMDB

/// How far a subscriber has come.
struct SubscriberRecord: Hashable {
    /// Every event up to this one is done with.
    var acknowledged: UInt64
    /// When it said so last.
    var usedAt: Timestamp
}

/// `subscribers`: principal after a `u8` length, name → version `u8`, acknowledged `u64`, used at `u64`.
struct SubscriberTable {
    let database: Database

    private static let version: UInt8 = 1
    /// Bytes of the two names that a key takes at most.
    static let nameLimit = 400

    /// How far a subscriber has come; nil if it never said so.
    func get(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ subscriber: EventSubscriber
    ) throws -> SubscriberRecord? {
        guard Self.canKeep(subscriber) else { return nil }
        return try withKey(subscriber) { key in try transaction.get(database, key, Self.decode) }
    }

    /// Stores how far a subscriber has come.
    func put(_ transaction: inout WriteTransaction, _ subscriber: EventSubscriber, _ record: SubscriberRecord) throws {
        try withKey(subscriber) { key in
            try ByteWriter.withBytes(
                capacity: 17,
                {
                    $0.append(Self.version)
                    $0.append(record.acknowledged)
                    $0.append(record.usedAt)
                },
                { value in try transaction.put(database, key, value) }
            )
        }
    }

    /// Removes a subscriber.
    func delete(_ transaction: inout WriteTransaction, _ subscriber: EventSubscriber) throws {
        _ = try withKey(subscriber) { key in try transaction.delete(database, key) }
    }

    /// Calls `body` with every subscriber. Without `onUnreadable` a row that cannot be read is an error.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        onUnreadable: RowFault? = nil,
        _ body: (EventSubscriber, SubscriberRecord) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, value in
            let row = try readRow(key, onUnreadable: onUnreadable) { (try Self.readKey(key), try Self.decode(value)) }
            if let (name, record) = row { try body(name, record) }
            return .goOn
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

    /// Whether the names fit a key.
    static func canKeep(_ subscriber: EventSubscriber) -> Bool {
        subscriber.principal.utf8.count <= Int(UInt8.max)
            && subscriber.principal.utf8.count + subscriber.name.utf8.count <= nameLimit
    }

    private func withKey<R>(_ subscriber: EventSubscriber, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            // What a key on the disk names may be longer than what this program writes.
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
            return SubscriberRecord(acknowledged: try reader.number(), usedAt: try reader.time())
        }
    }
}
