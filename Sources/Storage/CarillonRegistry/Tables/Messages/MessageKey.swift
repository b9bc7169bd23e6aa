import CarillonCore

/// The keys of all tables that are keyed by a message or by a page of one.
enum MessageKey {
    /// Calls `body` with the key of a message: id `u64`.
    @inline(__always)
    static func with<R>(_ message: MessageID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(capacity: UInt64.byteCount, { $0.append(message.rawValue) }, body)
    }

    /// Calls `body` with the key of a page: message id `u64`, page `u32`.
    @inline(__always)
    static func with<R>(_ message: MessageID, page: UInt32, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: UInt64.byteCount + UInt32.byteCount,
            {
                $0.append(message.rawValue)
                $0.append(page)
            },
            body
        )
    }

    static func message(_ key: Span<UInt8>, of table: StaticString) throws -> MessageID {
        try ByteReader.read(key, of: table) { MessageID(rawValue: try $0.number()) }
    }

    static func page(_ key: Span<UInt8>, of table: StaticString) throws -> (message: MessageID, page: UInt32) {
        try ByteReader.read(key, of: table) { (MessageID(rawValue: try $0.number()), try $0.number()) }
    }
}
