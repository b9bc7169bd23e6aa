import CarillonCore

/// Reads the values that a ``FormWriter`` wrote.
extension ByteReader {
    /// Reads a length, which is a varint, and the bytes after it.
    private mutating func lengthPrefixed() throws -> UnsafeBufferPointer<UInt8> {
        guard let count = Int(exactly: try varint()) else { throw corrupted("an invalid length") }
        return try take(count)
    }

    mutating func longText() throws -> String {
        guard let text = String(validating: try lengthPrefixed(), as: UTF8.self) else { throw corrupted("not UTF-8") }
        return text
    }

    /// Reads a count and the list after it; each item takes at least one byte, so the bytes bound the memory.
    mutating func list<T>(_ item: (inout ByteReader) throws -> T) throws -> [T] {
        var items: [T] = []
        for _ in 0..<(try varint()) { items.append(try item(&self)) }
        return items
    }

    mutating func app() throws -> AppID {
        guard let app = AppID(try longText()) else { throw corrupted("an invalid app") }
        return app
    }

    mutating func group() throws -> GroupName {
        guard let group = GroupName(try longText()) else { throw corrupted("an invalid group") }
        return group
    }

    mutating func topic() throws -> TopicName {
        guard let topic = TopicName(try longText()) else { throw corrupted("an invalid topic") }
        return topic
    }

    mutating func devices() throws -> [DeviceReference] { try list { try DeviceReference(&$0) } }

    mutating func message() throws -> MessageID { MessageID(rawValue: try number()) }

    /// Reads a byte of flags and refuses flags above `last`.
    mutating func flags(upTo last: UInt8) throws -> UInt8 {
        let flags: UInt8 = try number()
        guard flags < last << 1 || last == 0x80 else { throw corrupted("an unknown flag") }
        return flags
    }

    /// Reads a length and after it the form of the devices of one chunk; none if the length is 0.
    mutating func chunk() throws -> ChunkBits {
        let bytes = try lengthPrefixed()
        var bits = ChunkBits()
        if !bytes.isEmpty { try ByteReader.read(bytes.span, of: "log") { try PostingTable.read(&$0, into: &bits) } }
        return bits
    }
}
