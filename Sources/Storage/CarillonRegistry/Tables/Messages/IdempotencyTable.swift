import CarillonCore
import CarillonLMDB

/// The record of an idempotency key: the request that came with it, and its answer.
struct IdempotencyRecord: Hashable {
    /// The fingerprint of the request that came with the key.
    var fingerprint: RequestFingerprint
    /// The message that was the answer.
    var message: MessageID
    var total: UInt32
    var ended: UInt32
    /// The time from which the retention of the key counts.
    var acceptedAt: Timestamp
}

/// The table of the uses of idempotency keys.
///
/// `idempotency`: app `u32`, key 16 bytes → version `u8`, fingerprint 16 bytes, message id `u64`, total and ended `u32`
/// each, accepted at `u64`.
struct IdempotencyTable {
    let database: Database

    private static let version: UInt8 = 1

    func get(
        _ key: UUIDBytes, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> IdempotencyRecord? {
        try withKey(app: app, key) { key in
            try transaction.get(key, in: database, Self.decode)
        }
    }

    func put(
        _ record: IdempotencyRecord, for key: UUIDBytes, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        try withKey(app: app, key) { key in
            try ByteWriter.withBytes(capacity: 41, { Self.encode(record, into: &$0) }) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    func delete(_ key: UUIDBytes, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, key) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, UUIDBytes, IdempotencyRecord) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, uuid) = try ByteReader.read(key, of: "idempotency") {
                (try $0.number(AppNumber.self), try $0.uuid())
            }
            try body(app, uuid, try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ key: UUIDBytes, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: AppNumber.byteCount + 2 * UInt64.byteCount,
            {
                $0.append(app)
                $0.append(key)
            },
            body
        )
    }

    private static func encode(_ record: IdempotencyRecord, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append(record.fingerprint.hash)
        writer.append(record.message.rawValue)
        writer.append(record.total)
        writer.append(record.ended)
        writer.append(record.acceptedAt)
    }

    private static func decode(_ value: Span<UInt8>) throws -> IdempotencyRecord {
        try ByteReader.read(value, of: "idempotency") { reader in
            try reader.version(version)
            return IdempotencyRecord(
                fingerprint: RequestFingerprint(hash: try reader.uuid()),
                message: MessageID(rawValue: try reader.number()),
                total: try reader.number(),
                ended: try reader.number(),
                acceptedAt: try reader.time()
            )
        }
    }
}
