import CarillonCore
import CarillonLMDB

/// The table of the newest attempts at recipients.
///
/// `attempts`: message id `u64`, page `u32`, position `u16` → version `u8`, then the newest attempts at the recipient,
/// the oldest first, at most `MessageTrace.maximumAttempts`: at `u64`, connection `u32`, status `u16`, reason after a
/// `u8` length. In version 2 the `apns-unique-id` of each attempt follows after a `u8` length, empty if there was none.
/// A row has version 1 if no attempt of it has such an id.
///
/// Only attempts that the delivery engine records have a row. Retention removes the rows with their message.
struct AttemptTable {
    /// The database; nil if it was made before there was this table and is only read.
    let database: Database?

    private static let versionWithoutIDs: UInt8 = 1
    private static let versionWithIDs: UInt8 = 2
    static let maximumReasonBytes = 64
    /// The most bytes of an attempt: 16 beside its texts.
    private static let maximumAttemptBytes = 16 + maximumReasonBytes + TraceAttempt.maximumUniqueIDBytes

    /// Returns the attempts at a recipient, the oldest first.
    func get(_ recipient: RecipientKey, in transaction: borrowing some Transaction & ~Copyable) throws
        -> [TraceAttempt]
    {
        guard let database else { return [] }
        return try recipient.withBytes { key in try transaction.get(key, in: database, Self.decode) } ?? []
    }

    /// Adds attempts at the recipients of one page, in the order of time. The newest attempts of each recipient are
    /// kept. A corrupt row is replaced.
    func append(
        _ attempts: [OutcomeRecord.RecordedAttempt],
        of message: MessageID,
        page: UInt32,
        in transaction: inout WriteTransaction
    ) throws {
        guard let database else { return }
        for recorded in attempts {
            let recipient = RecipientKey(message: message, page: page, position: recorded.position)
            var attempts: [TraceAttempt]
            do {
                attempts = try get(recipient, in: transaction)
            } catch RegistryError.corrupted {
                // The row only explains outcomes, so it must not keep the outcomes of its transaction from the disk: a
                // corrupt row begins anew.
                attempts = []
            }
            attempts.append(recorded.attempt)
            try recipient.withBytes { key in
                try Self.withValue(attempts.suffix(MessageTrace.maximumAttempts)) { value in
                    try transaction.put(value, for: key, in: database)
                }
            }
        }
    }

    /// Returns the first recipient of a message that has attempts; nil if no recipient has any.
    func first(_ message: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> RecipientKey? {
        guard let database else { return nil }
        var found: RecipientKey?
        try MessageKey.with(message) { prefix in
            _ = try transaction.forEach(in: database, prefix: prefix, limit: 1) { key, _ in
                found = try RecipientKey(key: key, of: "attempts")
                return .stop
            }
        }
        return found
    }

    func delete(_ recipient: RecipientKey, in transaction: inout WriteTransaction) throws {
        guard let database else { return }
        _ = try recipient.withBytes { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (RecipientKey, [TraceAttempt]) throws -> Void
    ) throws {
        guard let database else { return }
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(RecipientKey(key: key, of: "attempts"), try Self.decode(value))
            return .proceed
        }
    }

    private static func withValue<R>(
        _ attempts: ArraySlice<TraceAttempt>, _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        let hasIDs = attempts.contains { $0.uniqueID != nil }
        return try ByteWriter.withBytes(
            capacity: 1 + attempts.count * maximumAttemptBytes,
            { writer in
                writer.append(hasIDs ? versionWithIDs : versionWithoutIDs)
                for attempt in attempts { append(attempt, withID: hasIDs, to: &writer) }
            },
            body
        )
    }

    private static func append(_ attempt: TraceAttempt, withID: Bool, to writer: inout ByteWriter) {
        writer.append(attempt.endedAt)
        writer.append(attempt.connectionNumber)
        writer.append(attempt.status)
        writer.append(text: reason(attempt.reason))
        if withID { writer.append(text: attempt.uniqueID) }
    }

    /// Returns the beginning of a reason that is too long, without a half character at its end.
    private static func reason(_ text: String) -> String {
        guard text.utf8.count > maximumReasonBytes else { return text }
        var bytes = 0
        return String(
            text.unicodeScalars.prefix { scalar in
                bytes += String(scalar).utf8.count
                return bytes <= maximumReasonBytes
            }.map(Character.init))
    }

    private static func decode(_ value: Span<UInt8>) throws -> [TraceAttempt] {
        try ByteReader.read(value, of: "attempts") { reader in
            let version: UInt8 = try reader.number()
            guard version == versionWithoutIDs || version == versionWithIDs else {
                throw reader.corrupted("an invalid version")
            }
            var attempts: [TraceAttempt] = []
            repeat {
                var attempt = TraceAttempt(
                    endedAt: try reader.time(), connectionNumber: try reader.number(), status: try reader.number(),
                    reason: try reader.text() ?? "")
                if version == versionWithIDs { attempt.uniqueID = try reader.uniqueID() }
                attempts.append(attempt)
            } while reader.remaining > 0 && attempts.count < MessageTrace.maximumAttempts
            guard reader.remaining == 0, attempts.allSatisfy({ $0.reason.utf8.count <= maximumReasonBytes }) else {
                throw reader.corrupted("too many attempts, or too long a reason")
            }
            return attempts
        }
    }
}

extension ByteReader {
    /// Reads the `apns-unique-id` of a push after a `u8` length; nil if it is empty.
    mutating func uniqueID() throws -> String? {
        let bytes = Array(try take(Int(try number(UInt8.self))))
        guard !bytes.isEmpty else { return nil }
        guard let id = bytes.withUnsafeBytes({ TraceAttempt.uniqueID($0) }) else {
            throw corrupted("an invalid apns-unique-id")
        }
        return id
    }
}
