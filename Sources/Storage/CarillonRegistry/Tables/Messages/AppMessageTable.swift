import CarillonCore
import CarillonLMDB

/// The table of the messages of each app.
///
/// `appmessages`: app `u32`, message id `u64` → empty. Every message that is kept, by app, so that the messages of one
/// app are listed without reading the others.
struct AppMessageTable {
    let database: Database

    func insert(_ id: MessageID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, id) { key in try transaction.put([UInt8]().span, for: key, in: database) }
    }

    func delete(_ id: MessageID, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, id) { key in try transaction.delete(key, in: database) }
    }

    func contains(
        _ id: MessageID, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        try withKey(app: app, id) { key in try transaction.contains(key, in: database) }
    }

    /// Returns at most `limit` messages of an app before `id`, the newest first.
    func messages(
        app: AppNumber, before id: MessageID?, limit: Int, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [MessageID] {
        try transaction.withCursor(in: database) { cursor in
            var found: [MessageID] = []
            // No message has the last id of all.
            var isFound = try withKey(app: app, id ?? MessageID(rawValue: .max)) { try cursor.seekBelow($0) }
            while isFound, found.count < limit,
                let rowKey = try cursor.withCurrent({ key, _ in try Self.readKey(key) }),
                rowKey.app == app
            {
                found.append(rowKey.message)
                isFound = try cursor.moveToPrevious()
            }
            return found
        }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, MessageID) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, _ in
            let (app, id) = try Self.readKey(key)
            try body(app, id)
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ id: MessageID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: AppNumber.byteCount + UInt64.byteCount,
            {
                $0.append(app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    private static func readKey(_ key: Span<UInt8>) throws -> (app: AppNumber, message: MessageID) {
        try ByteReader.read(key, of: "appmessages") { (try $0.number(), MessageID(rawValue: try $0.number())) }
    }
}
