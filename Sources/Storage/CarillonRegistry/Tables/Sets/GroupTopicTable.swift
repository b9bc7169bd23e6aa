import CarillonCore
import CarillonLMDB

/// The table of the topics of groups.
///
/// `grouptopics`: app `u32`, group `u32`, topic `u32` → empty: the topics of each group. The set of the muted
/// is one of them while the group is muted.
struct GroupTopicTable {
    let database: Database

    func insert(app: AppNumber, group: SetNumber, topic: SetNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, group: group, topic: topic) { key in
            try transaction.put([UInt8]().span, for: key, in: database)
        }
    }

    func delete(app: AppNumber, group: SetNumber, topic: SetNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, group: group, topic: topic) { key in try transaction.delete(key, in: database) }
    }

    func contains(
        app: AppNumber, group: SetNumber, topic: SetNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try withKey(app: app, group: group, topic: topic) { key in try transaction.contains(key, in: database) }
    }

    /// Returns the topics of a group, ascending.
    func topics(
        app: AppNumber, group: SetNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [SetNumber] {
        let prefix = ByteWriter.bytes(capacity: AppNumber.byteCount + SetNumber.byteCount) {
            $0.append(app)
            $0.append(group)
        }
        var topics: [SetNumber] = []
        try transaction.forEach(in: database, prefix: prefix.span) { key, _ in
            topics.append(try Self.read(key).topic)
            return .proceed
        }
        return topics
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, _ group: SetNumber, _ topic: SetNumber) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let row = try Self.read(key)
            try body(row.app, row.group, row.topic)
            return .proceed
        }
    }

    private static func read(_ key: Span<UInt8>) throws -> (app: AppNumber, group: SetNumber, topic: SetNumber) {
        try ByteReader.read(key, of: "grouptopics") { (try $0.number(), try $0.number(), try $0.number()) }
    }

    private func withKey<R>(
        app: AppNumber, group: SetNumber, topic: SetNumber, _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: AppNumber.byteCount + 2 * SetNumber.byteCount,
            {
                $0.append(app)
                $0.append(group)
                $0.append(topic)
            },
            body
        )
    }
}
