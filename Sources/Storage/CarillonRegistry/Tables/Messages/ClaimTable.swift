import CarillonCluster
import CarillonCore
import CarillonLMDB

/// The tables that say which member sends which message, or which pages.
///
/// - `claims`: message id `u64` → the app after a `u8` length if the message is a silent push, else an empty text; then
///   the claims (``MessageClaims/bytes``).
/// - `silentclaims`: app after a `u8` length → the sender of its silent pushes (``SilentPushClaim/bytes``).
///
/// Only a replica has rows, for messages that are not finished.
struct ClaimTable {
    let database: Database
    let silentPushDatabase: Database

    init(database: Database, silentPushDatabase: Database) {
        self.database = database
        self.silentPushDatabase = silentPushDatabase
    }

    /// Opens the table of a file; nil if the file was made before there was one.
    init?(in environment: LMDBEnvironment) {
        // Why try?: the next transaction of the LMDB environment meets any other error.
        guard let claims = try? environment.openDatabase("claims"),
            let silent = try? environment.openDatabase("silentclaims")
        else { return nil }
        self.init(database: claims, silentPushDatabase: silent)
    }

    /// Returns the claims of a message, and its app if it is a silent push; nil if the message has no claims.
    func get(
        _ message: MessageID, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> ClaimsRow? {
        try MessageKey.with(message) { key in
            try transaction.get(key, in: database) { value in try Self.decode(value) }
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> ClaimsRow {
        try ByteReader.read(value, of: "claims") { reader in
            let name = try reader.text()
            let app = try name.map { name in
                guard let app = AppID(name) else { throw reader.corrupted("an invalid app") }
                return app
            }
            do {
                return ClaimsRow(
                    claims: try MessageClaims(Array(try reader.take(reader.remaining))), silentPushApp: app)
            } catch is StoredBytesError {
                throw reader.corrupted("claims that cannot be read")
            }
        }
    }

    /// Stores the claims of a message; nil removes them.
    func put(
        _ row: ClaimsRow?, of message: MessageID, in transaction: inout WriteTransaction
    ) throws {
        try MessageKey.with(message) { key in
            guard let row else { return _ = try transaction.delete(key, in: database) }
            let claims = row.claims.bytes
            let value = ByteWriter.bytes(capacity: 256 + claims.count) {
                $0.append(text: row.silentPushApp?.name)
                $0.append(contentsOf: claims)
            }
            try transaction.put(value.span, for: key, in: database)
        }
    }

    /// Returns the sender of silent pushes of an app; nil if the app has none.
    func silentPushClaim(
        of app: AppID, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SilentPushClaim? {
        try transaction.get(Self.key(app).span, in: silentPushDatabase, Self.decodeSilentPushClaim)
    }

    private static func decodeSilentPushClaim(_ value: Span<UInt8>) throws -> SilentPushClaim {
        try ByteReader.read(value, of: "silentclaims") { reader in
            do {
                return try SilentPushClaim(Array(try reader.take(reader.remaining)))
            } catch is StoredBytesError {
                throw reader.corrupted("a claim that cannot be read")
            }
        }
    }

    /// Stores the sender of silent pushes of an app; nil removes it.
    func put(_ claim: SilentPushClaim?, of app: AppID, in transaction: inout WriteTransaction) throws {
        guard let claim else { return _ = try transaction.delete(Self.key(app).span, in: silentPushDatabase) }
        try transaction.put(claim.bytes.span, for: Self.key(app).span, in: silentPushDatabase)
    }

    /// Calls `body` with the rows of messages in the order of their ids, at most `limit`.
    func forEach(
        limit: Int = .max, in transaction: borrowing some Transaction & ~Copyable,
        _ body: (MessageID, MessageClaims) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span, limit: limit) { key, value in
            try body(try MessageKey.message(key, of: "claims"), try Self.decode(value).claims)
            return .proceed
        }
    }

    /// Calls `body` with each app whose silent pushes have a sender.
    func forEachSilentPushClaim(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppID) throws -> Void
    ) throws {
        try transaction.forEach(in: silentPushDatabase, prefix: [UInt8]().span) { key, value in
            _ = try Self.decodeSilentPushClaim(value)
            let app = try ByteReader.read(key, of: "silentclaims") { reader in
                guard let app = try reader.text().flatMap({ AppID($0) }) else {
                    throw reader.corrupted("an invalid app")
                }
                return app
            }
            try body(app)
            return .proceed
        }
    }

    /// Removes all rows, because the database no longer belongs to a log.
    func removeAll(in transaction: inout WriteTransaction) throws {
        for table in [database, silentPushDatabase] {
            var keys: [[UInt8]] = []
            try transaction.forEach(in: table, prefix: [UInt8]().span) { key, _ in
                keys.append(key.withUnsafeBufferPointer { Array($0) })
                return .proceed
            }
            for key in keys { _ = try transaction.delete(key.span, in: table) }
        }
    }

    private static func key(_ app: AppID) -> [UInt8] { ByteWriter.bytes(capacity: 256) { $0.append(text: app.name) } }
}
