import CarillonCore

/// Writes a key or a record, big-endian, into memory that is lent to it.
///
/// The caller computes the capacity: exceeding it is a bug of this program, and traps.
struct ByteWriter {
    // Safety: lent by `withBytes` for the lifetime of the writer; every write is checked against its count.
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// Calls `write` with room for `capacity` bytes, and `body` with the written bytes. Up to a kilobyte costs no
    /// allocation.
    @inline(__always)
    static func withBytes<R>(
        capacity: Int,
        _ write: (inout ByteWriter) -> Void,
        _ body: (Span<UInt8>) throws -> R
    ) rethrows -> R {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            var writer = ByteWriter(buffer: buffer)
            write(&writer)
            return try body(UnsafeBufferPointer(rebasing: buffer[..<writer.count]).span)
        }
    }

    /// Returns the bytes that `write` writes, in a new array.
    static func bytes(capacity: Int, _ write: (inout ByteWriter) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var writer = ByteWriter(buffer: buffer)
            write(&writer)
            count = writer.count
        }
    }

    private init(buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    @inline(__always)
    mutating func append(_ number: some FixedWidthInteger) {
        let size = number.bitWidth / 8
        precondition(count + size <= buffer.count)
        UnsafeMutableRawBufferPointer(buffer).storeBytes(
            of: number.bigEndian,
            toByteOffset: count,
            as: type(of: number)
        )
        count += size
    }

    mutating func append(contentsOf bytes: some Collection<UInt8>) {
        let size = bytes.count
        precondition(count + size <= buffer.count)
        _ = UnsafeMutableBufferPointer(rebasing: buffer[count..<count + size]).initialize(fromContentsOf: bytes)
        count += size
    }

    mutating func append(_ time: Timestamp) {
        append(time.milliseconds)
    }

    /// Appends a `u8` length and the text, which must be shorter than 256 bytes; nil is written as the empty text.
    mutating func append(text: String?) {
        guard var text else { return append(UInt8(0)) }
        text.withUTF8 { bytes in
            append(UInt8(bytes.count))
            append(contentsOf: bytes)
        }
    }

    mutating func append(_ uuid: UUIDBytes) {
        append(uuid.high)
        append(uuid.low)
    }

    static let maximumVarintBytes = 10

    /// Appends a number in groups of seven bits, the least significant first.
    mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

extension FixedWidthInteger {
    /// The number of bytes that a number of this type takes in a key or a row.
    @inline(__always)
    static var byteCount: Int { bitWidth / 8 }
}
