import CarillonCore
import CarillonWire

/// Writes one frame of the log's own kind: big-endian, with as much memory as it takes.
struct FormWriter {
    private(set) var bytes: [UInt8]

    /// Begins a frame.
    ///
    /// - Parameter number: the time of a change or a sweep, in milliseconds; the number of changes in `together`.
    init(_ form: ChangeForm, number: UInt64) {
        bytes = [0, 0, 0, 0, ChangeForm.frameKind, 0]
        append(form.rawValue)
        append(number)
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

    /// Appends the length of a text, a varint, and then the text, which may be of any length.
    mutating func append(text: String) {
        append(varint: UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends the count of a list, a varint, and then the list.
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
