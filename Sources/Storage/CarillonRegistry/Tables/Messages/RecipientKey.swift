import CarillonCore

/// A recipient of a message: the key of its rows in `delays` and `attempts`.
struct RecipientKey: Hashable {
    let message: MessageID
    let page: UInt32
    let position: UInt16

    init(message: MessageID, page: UInt32, position: UInt16) {
        self.message = message
        self.page = page
        self.position = position
    }

    init(key: Span<UInt8>, of table: StaticString) throws {
        self = try ByteReader.read(key, of: table) {
            RecipientKey(
                message: MessageID(rawValue: try $0.number()), page: try $0.number(), position: try $0.number())
        }
    }

    /// Calls `body` with the bytes: message id `u64`, page `u32`, position `u16`.
    @inline(__always)
    func withBytes<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: UInt64.byteCount + UInt32.byteCount + UInt16.byteCount,
            {
                $0.append(message.rawValue)
                $0.append(page)
                $0.append(position)
            },
            body
        )
    }
}
