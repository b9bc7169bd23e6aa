import CarillonCore
import CarillonLMDB

/// `meta`: what there is once. Keys are names.
///
/// `schema` → `u32`; `epoch` → 16 bytes; `secret` → the key of the digests of addresses, 16 bytes, and a check of it,
/// `u32`; `message` → the last message id given, `u64`; `event` → the last number of an event, `u64`; `journal` → the
/// LSN of the last record of the write-ahead log whose changes are stored, `u64`.
struct MetaTable {
    let database: Database

    /// The layout that this program reads and writes.
    static let schema: UInt32 = 4

    private static let schemaKey = Array("schema".utf8)
    private static let epochKey = Array("epoch".utf8)
    private static let secretKey = Array("secret".utf8)
    private static let messageKey = Array("message".utf8)
    private static let eventKey = Array("event".utf8)
    private static let lsnKey = Array("journal".utf8)

    /// The schema of the stored data; nil in a new environment.
    func schema(_ transaction: borrowing some Transaction & ~Copyable) throws -> UInt32? {
        try transaction.get(database, Self.schemaKey.span) { value in
            try ByteReader.read(value, of: "meta") { try $0.number() }
        }
    }

    /// The mark of the stored data; nil if it is missing.
    func mark(_ transaction: borrowing some Transaction & ~Copyable) throws -> RegistryMark? {
        let secret = try transaction.get(database, Self.secretKey.span) { value in
            try ByteReader.read(value, of: "meta") { try AddressSecret(&$0) }
        }
        guard let epoch = try epoch(transaction), let secret else { return nil }
        return RegistryMark(epoch: epoch, secret: secret)
    }

    /// The epoch of the stored data.
    func epoch(_ transaction: borrowing some Transaction & ~Copyable) throws -> UUIDBytes? {
        try transaction.get(database, Self.epochKey.span) { value in
            try ByteReader.read(value, of: "meta") { try $0.uuid() }
        }
    }

    /// Marks an environment with this schema.
    func initialize(_ transaction: inout WriteTransaction, _ mark: RegistryMark) throws {
        let schema = ByteWriter.bytes(capacity: 4) { $0.append(Self.schema) }
        let secret = ByteWriter.bytes(capacity: AddressSecret.byteCount) { mark.secret.append(to: &$0) }
        try transaction.put(database, Self.schemaKey.span, schema.span)
        try transaction.put(database, Self.secretKey.span, secret.span)
        try putEpoch(&transaction, mark.epoch)
    }

    /// Gives the stored data another epoch.
    func putEpoch(_ transaction: inout WriteTransaction, _ epoch: UUIDBytes) throws {
        let epoch = ByteWriter.bytes(capacity: 16) { $0.append(epoch) }
        try transaction.put(database, Self.epochKey.span, epoch.span)
    }

    /// The last message id given; 0 before the first.
    func lastMessage(_ transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try number(transaction, Self.messageKey)
    }

    /// Stores the last message id given.
    func putLastMessage(_ transaction: inout WriteTransaction, _ id: UInt64) throws {
        try put(&transaction, Self.messageKey, id)
    }

    /// The number of the last event; 0 before the first.
    func lastEvent(_ transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try number(transaction, Self.eventKey)
    }

    /// Stores the number of the last event.
    func putLastEvent(_ transaction: inout WriteTransaction, _ sequence: UInt64) throws {
        try put(&transaction, Self.eventKey, sequence)
    }

    /// The LSN of the last record of the write-ahead log whose changes are stored; 0 before the first.
    func lastLSN(_ transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try number(transaction, Self.lsnKey)
    }

    /// Stores the LSN of the last record of the write-ahead log whose changes are stored.
    func putLastLSN(_ transaction: inout WriteTransaction, _ number: UInt64) throws {
        try put(&transaction, Self.lsnKey, number)
    }

    private func number(_ transaction: borrowing some Transaction & ~Copyable, _ key: [UInt8]) throws -> UInt64 {
        try transaction.get(database, key.span) { value in
            try ByteReader.read(value, of: "meta") { try $0.number() }
        } ?? 0
    }

    private func put(_ transaction: inout WriteTransaction, _ key: [UInt8], _ number: UInt64) throws {
        try ByteWriter.withBytes(capacity: 8, { $0.append(number) }) { value in
            try transaction.put(database, key.span, value)
        }
    }
}

/// The identity of the data of one registry.
struct RegistryMark {
    /// The epoch, which clients compare (Protocol 6.1).
    let epoch: UUIDBytes
    /// The key of the digests of addresses.
    let secret: AddressSecret

    /// A new one.
    static func random() -> Self { RegistryMark(epoch: .random(), secret: .random()) }
}
