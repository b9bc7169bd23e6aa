import CarillonCore
import CarillonWire

/// A writer of one frame of the log's own kind: big-endian, with as much memory as it takes.
struct FormWriter {
    private(set) var bytes: [UInt8]

    /// Begins a frame.
    init(_ form: ChangeForm, time: UInt64) {
        bytes = [0, 0, 0, 0, ChangeForm.frameKind, 0]
        append(form.rawValue)
        append(time)
    }

    /// Ends the frame and appends it.
    mutating func finish(into frames: inout FrameWriter) {
        let length = UInt32(truncatingIfNeeded: bytes.count - FrameHeader.byteCount)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
        frames.raw(bytes)
    }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ time: Timestamp) { append(time.milliseconds) }

    mutating func append(_ uuid: UUIDBytes) {
        append(uuid.high)
        append(uuid.low)
    }

    mutating func append(contentsOf raw: [UInt8]) { bytes.append(contentsOf: raw) }

    /// Appends a number in groups of seven bits, the least significant first.
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a text of any length behind its length, a varint.
    mutating func append(text: String) {
        append(varint: UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends a list behind its count, a varint.
    mutating func append<T>(list: some Collection<T>, _ item: (inout FormWriter, T) -> Void) {
        append(varint: UInt64(list.count))
        for element in list { item(&self, element) }
    }

    mutating func append(_ device: DeviceReference) {
        append(capacity: device.storedBytes) { device.append(to: &$0) }
    }

    mutating func append(devices: [DeviceReference]) { append(list: devices) { $0.append($1) } }

    /// Appends a value in the form that it has in a row, of at most `capacity` bytes.
    mutating func append(capacity: Int, _ write: (inout ByteWriter) -> Void) {
        ByteWriter.withBytes(capacity: capacity, write) { written in
            written.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
    }
}

/// The values that a ``FormWriter`` wrote, as they are read.
extension ByteReader {
    /// Reads the bytes behind a length that is itself a varint.
    private mutating func lengthPrefixed() throws -> UnsafeBufferPointer<UInt8> {
        guard let count = Int(exactly: try varint()) else { throw corrupted("a length") }
        return try take(count)
    }

    mutating func longText() throws -> String {
        guard let text = String(validating: try lengthPrefixed(), as: UTF8.self) else { throw corrupted("not UTF-8") }
        return text
    }

    /// Reads a list behind its count; each item takes at least one byte, so the bytes bound the memory.
    mutating func list<T>(_ item: (inout ByteReader) throws -> T) throws -> [T] {
        var items: [T] = []
        for _ in 0..<(try varint()) { items.append(try item(&self)) }
        return items
    }

    mutating func app() throws -> AppID {
        guard let app = AppID(try longText()) else { throw corrupted("an app") }
        return app
    }

    mutating func group() throws -> GroupName {
        guard let group = GroupName(try longText()) else { throw corrupted("a group") }
        return group
    }

    mutating func topic() throws -> TopicName {
        guard let topic = TopicName(try longText()) else { throw corrupted("a topic") }
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

    /// Reads devices of one chunk behind the length of their form; none if that is 0.
    mutating func chunk() throws -> ChunkBits {
        let bytes = try lengthPrefixed()
        var bits = ChunkBits()
        if !bytes.isEmpty { try ByteReader.read(bytes.span, of: "log") { try PostingTable.read(&$0, into: &bits) } }
        return bits
    }
}
