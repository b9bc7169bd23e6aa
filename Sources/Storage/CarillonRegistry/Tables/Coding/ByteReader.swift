import CarillonCore

/// Reads a key or a record, big-endian. It never reads past the end: bytes from the disk are read or refused.
struct ByteReader {
    // Safety: lent by `read` for the lifetime of the reader; every read is checked against its count.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private let table: StaticString

    /// Calls `body` with a reader of `bytes`; `body` must read all of them.
    ///
    /// - Throws: `RegistryError.corrupted` naming `table` if bytes are missing or left over; what `body` throws.
    @inline(__always)
    static func read<R>(
        _ bytes: Span<UInt8>,
        of table: StaticString,
        _ body: (inout ByteReader) throws -> R
    ) throws -> R {
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = ByteReader(bytes: buffer, table: table)
            let result = try body(&reader)
            guard reader.remaining == 0 else { throw reader.corrupted("bytes left over") }
            return result
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, table: StaticString) {
        self.bytes = bytes
        self.table = table
    }

    var remaining: Int { bytes.count - offset }

    /// Returns the error for bytes that are no value of the table.
    func corrupted(_ what: StaticString) -> RegistryError {
        .corrupted("\(table): \(what)")
    }

    /// Reads the next `count` bytes, in place.
    @inline(__always)
    mutating func take(_ count: Int) throws -> UnsafeBufferPointer<UInt8> {
        guard count >= 0, count <= remaining else { throw corrupted("ends too early") }
        defer { offset += count }
        return UnsafeBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    @inline(__always)
    mutating func number<N: FixedWidthInteger & BitwiseCopyable>(_ type: N.Type = N.self) throws -> N {
        let raw = UnsafeRawBufferPointer(try take(MemoryLayout<N>.size))
        return N(bigEndian: raw.loadUnaligned(as: N.self))
    }

    mutating func time() throws -> Timestamp {
        Timestamp(milliseconds: try number())
    }

    mutating func uuid() throws -> UUIDBytes {
        UUIDBytes(high: try number(), low: try number())
    }

    /// Reads a case of an enumeration, by its byte.
    @inline(__always)
    mutating func value<V: RawRepresentable>(_ type: V.Type = V.self) throws -> V where V.RawValue == UInt8 {
        guard let value = V(rawValue: try number()) else { throw corrupted("an unknown number") }
        return value
    }

    /// Reads a length and the text after it; nil if the text is empty.
    mutating func text() throws -> String? {
        let bytes = try take(Int(try number(UInt8.self)))
        if bytes.isEmpty { return nil }
        // Most texts are ASCII. For these this test is several times as quick as validating UTF-8.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw corrupted("not UTF-8") }
        return text
    }

    /// Reads a length and the token after it.
    mutating func token() throws -> DeviceToken {
        guard let token = DeviceToken(Array(try take(Int(try number(UInt8.self))))) else {
            throw corrupted("an invalid token")
        }
        return token
    }

    mutating func tokenToEnd() throws -> DeviceToken {
        guard let token = DeviceToken(Array(try take(remaining))) else { throw corrupted("an invalid token") }
        return token
    }

    /// Skips bytes that are equal to `byte`, at most `count`; returns their number.
    mutating func skip(_ byte: UInt8, atMost count: Int) -> Int {
        let end = offset + min(max(0, count), remaining)
        let first = offset
        while offset < end, bytes[offset] == byte { offset += 1 }
        return offset - first
    }

    /// Reads a number in groups of seven bits.
    mutating func varint() throws -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            let byte = try number(UInt8.self)
            let group = UInt64(byte & 0x7F)
            guard shift < 63 || group <= 1 else { break }
            result |= group << shift
            if byte & 0x80 == 0 { return result }
        }
        throw corrupted("a number too long")
    }

    /// Reads the first byte of a record, which must be the expected version.
    mutating func version(_ expected: UInt8) throws {
        guard try number(UInt8.self) == expected else { throw corrupted("an unknown version") }
    }

    /// Reads the version of a row, from 1 to `last`.
    mutating func version(upTo last: UInt8) throws -> UInt8 {
        let version = try number(UInt8.self)
        guard (1...last).contains(version) else { throw corrupted("an unknown version") }
        return version
    }
}

/// A handler of a row that cannot be read, called with its key and the reason.
typealias RowFault = (_ key: [UInt8], _ reason: String) -> Void

/// Returns the result of `read` for the row of `key`; nil if the row cannot be read, after a call of `onUnreadable`.
/// Without `onUnreadable` an unreadable row is an error.
func readRow<Row>(_ key: Span<UInt8>, onUnreadable: RowFault?, _ read: () throws -> Row) throws -> Row? {
    do {
        return try read()
    } catch RegistryError.corrupted(let reason) {
        guard let onUnreadable else { throw RegistryError.corrupted(reason) }
        onUnreadable(key.indices.map { key[$0] }, reason)
        return nil
    }
}
