import CarillonCore
import CarillonLMDB

/// `grouptopics`: app `u32`, group `u32`, topic `u32` → empty: the topics of each group. The set of the muted
/// is one of them while the group is muted.
struct GroupTopicTable {
    let database: Database

    /// Subscribes a group to a topic.
    func insert(
        _ transaction: inout WriteTransaction,
        app: AppNumber,
        group: SetNumber,
        topic: SetNumber
    ) throws {
        try withKey(app: app, group, topic) { key in try transaction.put(database, key, [UInt8]().span) }
    }

    /// Ends the subscription of a group.
    func delete(_ transaction: inout WriteTransaction, app: AppNumber, group: SetNumber, topic: SetNumber) throws {
        _ = try withKey(app: app, group, topic) { key in try transaction.delete(database, key) }
    }

    /// Whether a group is subscribed to a topic.
    func contains(
        _ transaction: borrowing some Transaction & ~Copyable,
        app: AppNumber,
        group: SetNumber,
        topic: SetNumber
    ) throws -> Bool {
        try withKey(app: app, group, topic) { key in try transaction.contains(database, key) }
    }

    /// The topics of a group, ascending.
    func topics(
        _ transaction: borrowing some Transaction & ~Copyable,
        app: AppNumber,
        group: SetNumber
    ) throws -> [SetNumber] {
        let prefix = ByteWriter.bytes(capacity: 8) {
            $0.append(app)
            $0.append(group)
        }
        var topics: [SetNumber] = []
        try transaction.forEach(database, prefix: prefix.span) { key, _ in
            topics.append(try Self.read(key).topic)
            return .goOn
        }
        return topics
    }

    /// Calls `body` with every row of every app.
    func forEach(
        _ transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, _ group: SetNumber, _ topic: SetNumber) throws -> Void
    ) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, _ in
            let row = try Self.read(key)
            try body(row.app, row.group, row.topic)
            return .goOn
        }
    }

    private static func read(_ key: Span<UInt8>) throws -> (app: AppNumber, group: SetNumber, topic: SetNumber) {
        try ByteReader.read(key, of: "grouptopics") { (try $0.number(), try $0.number(), try $0.number()) }
    }

    private func withKey<R>(
        app: AppNumber,
        _ group: SetNumber,
        _ topic: SetNumber,
        _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 12,
            {
                $0.append(app)
                $0.append(group)
                $0.append(topic)
            },
            body
        )
    }
}
