import CarillonCore
import CarillonLMDB

/// The table of the senders, labels and trace parents of messages.
///
/// `origins`: message id `u64` → version `u8`; sender, then label, each after a `u8` length, empty for none. In version
/// 2 the trace parent follows in the same way; a row without one has version 1.
///
/// A message has no row if none of them is known, for example if it was accepted before there was this table. Retention
/// removes the row with its message.
struct MessageMetadataTable {
    /// The database; nil if it was made before there was this table and is only read.
    let database: Database?

    private static let versionWithoutTrace: UInt8 = 1
    private static let versionWithTrace: UInt8 = 2

    /// Returns the metadata of a message; empty if there is no row.
    func get(_ id: MessageID, in transaction: borrowing some Transaction & ~Copyable) throws -> MessageMetadata {
        guard let database else { return MessageMetadata() }
        let found = try MessageKey.with(id) { key in try transaction.get(key, in: database, Self.decode) }
        return found ?? MessageMetadata()
    }

    /// Stores the metadata of a message, unless it is empty.
    func put(_ metadata: MessageMetadata, for id: MessageID, in transaction: inout WriteTransaction) throws {
        guard let database, metadata != MessageMetadata() else { return }
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: 4 + (metadata.sender?.utf8.count ?? 0) + (metadata.label?.utf8.count ?? 0)
                    + TraceParent.byteCount,
                {
                    $0.append(metadata.traceParent == nil ? Self.versionWithoutTrace : Self.versionWithTrace)
                    $0.append(text: metadata.sender)
                    $0.append(text: metadata.label)
                    if let trace = metadata.traceParent { $0.append(text: trace.description) }
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ id: MessageID, in transaction: inout WriteTransaction) throws {
        guard let database else { return }
        _ = try MessageKey.with(id) { key in try transaction.delete(key, in: database) }
    }

    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID, MessageMetadata) throws -> Void
    ) throws {
        guard let database else { return }
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            try body(try MessageKey.message(key, of: "origins"), try Self.decode(value))
            return .proceed
        }
    }

    private static func decode(_ value: Span<UInt8>) throws -> MessageMetadata {
        try ByteReader.read(value, of: "origins") { reader in
            let version = try reader.version(upTo: versionWithTrace)
            var metadata = MessageMetadata(sender: try reader.text(), label: try reader.text())
            guard version == versionWithTrace else { return metadata }
            guard let trace = try reader.text().flatMap({ TraceParent(exactly: $0) }) else {
                throw reader.corrupted("an invalid trace parent")
            }
            metadata.traceParent = trace
            return metadata
        }
    }
}
