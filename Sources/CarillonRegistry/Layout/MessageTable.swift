import CarillonCore
import CarillonLMDB

/// What is stored of a message and never changes.
struct MessageRecord: Hashable {
    var key: UUIDBytes
    var content: MessageContent
    var notAfter: Timestamp?
    var lane: Lane
}

/// `messages`: message id `u64` → version `u8`, idempotency key, then the body: app after a `u8` length; push type,
/// priority (0 = usual), lane, `u8` each; expiration as form `u8` and seconds `u64`; `u8` whether there is a not after,
/// and the time `u64`; collapse id after a `u8` length; payload after a `u32` length.
struct MessageTable {
    let database: Database

    private static let version: UInt8 = 1

    /// What was stored of a message.
    func get(_ transaction: borrowing some Transaction & ~Copyable, _ id: MessageID) throws -> MessageRecord? {
        try MessageKey.with(id) { key in
            try transaction.get(database, key, Self.decode)
        }
    }

    /// Stores a new message.
    func insert(_ transaction: inout WriteTransaction, _ id: MessageID, _ record: MessageRecord) throws {
        let capacity = 17 + Self.bodyBytes(record.content)
        try MessageKey.with(id) { key in
            try ByteWriter.withBytes(
                capacity: capacity,
                {
                    $0.append(Self.version)
                    $0.append(record.key)
                    Self.appendBody(record.content, notAfter: record.notAfter, lane: record.lane, to: &$0)
                },
                { value in try transaction.put(database, key, value) }
            )
        }
    }

    /// Removes a message.
    func delete(_ transaction: inout WriteTransaction, _ id: MessageID) throws {
        _ = try MessageKey.with(id) { key in try transaction.delete(database, key) }
    }

    /// Calls `body` with the id of every message, after reading its record.
    func forEach(_ transaction: borrowing some Transaction & ~Copyable, _ body: (MessageID) throws -> Void) throws {
        try transaction.forEach(database, prefix: [UInt8]().span) { key, value in
            _ = try Self.decode(value)
            try body(try MessageKey.message(key, of: "messages"))
            return .goOn
        }
    }

    /// Bytes that a body takes at most.
    static func bodyBytes(_ content: MessageContent) -> Int {
        40 + AppID.byteLimit + (content.collapseID?.utf8.count ?? 0) + content.payload.count
    }

    /// Writes a body; also what its fingerprint is made of.
    static func appendBody(_ content: MessageContent, notAfter: Timestamp?, lane: Lane, to writer: inout ByteWriter) {
        writer.append(text: content.app.name)
        writer.append(content.pushType.rawValue)
        writer.append(content.priority?.rawValue ?? 0)
        writer.append(lane.rawValue)
        switch content.expiration {
        case .unspecified:
            writer.append(UInt8(0))
            writer.append(UInt64(0))
        case .once:
            writer.append(UInt8(1))
            writer.append(UInt64(0))
        case .at(let seconds):
            writer.append(UInt8(2))
            writer.append(seconds)
        }
        writer.append(UInt8(notAfter == nil ? 0 : 1))
        writer.append(notAfter ?? .zero)
        writer.append(text: content.collapseID)
        writer.append(UInt32(content.payload.count))
        writer.append(contentsOf: content.payload)
    }

    private static func decode(_ value: Span<UInt8>) throws -> MessageRecord {
        try ByteReader.read(value, of: "messages") { reader in
            try reader.version(version)
            let key = try reader.uuid()
            guard let app = try reader.text().flatMap({ AppID($0) }) else { throw reader.corrupted("an app") }
            let pushType: PushType = try reader.value()
            let priorityByte: UInt8 = try reader.number()
            let priority = Priority(rawValue: priorityByte)
            guard priority != nil || priorityByte == 0 else { throw reader.corrupted("a priority") }
            let lane: Lane = try reader.value()
            let expiration = try expiration(&reader)
            let hasNotAfter = try reader.number(UInt8.self) != 0
            let notAfter = try reader.time()
            let collapseID = try reader.text()
            let payload = Array(try reader.take(Int(try reader.number(UInt32.self))))
            let content = MessageContent(
                app: app,
                pushType: pushType,
                priority: priority,
                expiration: expiration,
                collapseID: collapseID,
                payload: payload
            )
            return MessageRecord(key: key, content: content, notAfter: hasNotAfter ? notAfter : nil, lane: lane)
        }
    }

    private static func expiration(_ reader: inout ByteReader) throws -> Expiration {
        let form = try reader.number(UInt8.self)
        let seconds = try reader.number(UInt64.self)
        switch form {
        case 0: return .unspecified
        case 1: return .once
        case 2: return .at(seconds: seconds)
        default: throw reader.corrupted("an expiration")
        }
    }
}
