import CarillonCore

/// Reads the fields of one payload, front to back, never past its end (Protocol 4).
///
/// What is *malformed* throws where it is met. What is *invalid* (right form, wrong value) is noted and reading goes on with a
/// stand-in, because a fault of form later in the payload comes first in precedence; `finish` throws what was noted.
///
/// It looks into memory that it does not own: use it only inside the closure that lent the bytes.
struct PayloadReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var invalid: WireFault?

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var remaining: Int { bytes.count - offset }

    /// Notes a value that the field does not allow; the first one noted is thrown by `finish`.
    mutating func note(_ fault: WireFault) {
        if invalid == nil { invalid = fault }
    }

    mutating func u8(_ field: String) throws(WireFault) -> UInt8 {
        try integer(UInt8.self, field)
    }

    mutating func u16(_ field: String) throws(WireFault) -> UInt16 {
        try integer(UInt16.self, field)
    }

    mutating func u32(_ field: String) throws(WireFault) -> UInt32 {
        try integer(UInt32.self, field)
    }

    mutating func u64(_ field: String) throws(WireFault) -> UInt64 {
        try integer(UInt64.self, field)
    }

    private mutating func integer<T: FixedWidthInteger>(_ type: T.Type, _ field: String) throws(WireFault) -> T {
        let size = MemoryLayout<T>.size
        guard remaining >= size else { throw .malformed("the payload ends inside \(field)", field: field) }
        defer { offset += size }
        return T(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The next `count` bytes, in place.
    mutating func raw(_ count: Int, _ field: String) throws(WireFault) -> UnsafeRawBufferPointer {
        guard count <= remaining else { throw .malformed("the payload ends inside \(field)", field: field) }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    mutating func uuid(_ field: String) throws(WireFault) -> UUIDBytes {
        UUIDBytes(high: try u64(field), low: try u64(field))
    }

    mutating func time(_ field: String) throws(WireFault) -> Timestamp {
        Timestamp(milliseconds: try u64(field))
    }

    /// A `str` whose length must be within `limits`.
    mutating func string(_ field: String, _ limits: ClosedRange<Int>) throws(WireFault) -> String {
        let count = Int(try u16(field))
        return try text(try raw(count, field), field, limits)
    }

    /// The text of bytes already delimited: of a `str`, or of a tag.
    mutating func text(
        _ bytes: UnsafeRawBufferPointer,
        _ field: String,
        _ limits: ClosedRange<Int>
    ) throws(WireFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .malformed("\(field) is not UTF-8 without U+0000", field: field)
        }
        if !limits.contains(bytes.count) {
            note(.invalid(field, "\(field) has \(bytes.count) bytes, not \(limits.lowerBound) to \(limits.upperBound)"))
        }
        return text
    }

    /// A `bytes` of any length that the payload holds.
    mutating func blob(_ field: String) throws(WireFault) -> UnsafeRawBufferPointer {
        let count = Int(try u32(field))
        return try raw(count, field)
    }

    /// A `token`.
    mutating func token(_ field: String) throws(WireFault) -> DeviceToken {
        let count = Int(try u8(field))
        return token(try raw(count, field), field)
    }

    /// The token of bytes already delimited.
    mutating func token(_ bytes: UnsafeRawBufferPointer, _ field: String) -> DeviceToken {
        if let token = DeviceToken(Array(bytes)) { return token }
        note(.invalid(field, "\(field) has \(bytes.count) bytes, not 1 to \(DeviceToken.byteLimit)"))
        return Self.standIn
    }

    /// The count of a `list`, checked against the bytes left before anybody reserves for it.
    mutating func count(_ field: String, elementBytes: Int) throws(WireFault) -> Int {
        let count = Int(try u32(field))
        let (needed, overflow) = count.multipliedReportingOverflow(by: elementBytes)
        guard !overflow, needed <= remaining else {
            throw .malformed("\(field) announces more items than the payload holds", field: field)
        }
        return count
    }

    /// An `app`.
    mutating func app() throws(WireFault) -> AppID {
        let count = Int(try u16("app"))
        let bytes = try raw(count, "app")
        guard let name = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .malformed("app is not UTF-8 without U+0000", field: "app")
        }
        if let app = AppID(name) { return app }
        note(.invalid("app", "app is not a bundle id of 1 to \(AppID.byteLimit) bytes"))
        return Self.standInApp
    }

    mutating func environment() throws(WireFault) -> Environment {
        let value = try u8("environment")
        if let environment = Environment(rawValue: value) { return environment }
        note(.invalid("environment", "environment \(value) is neither 1 nor 2"))
        return .production
    }

    mutating func tokenKind() throws(WireFault) -> TokenKind {
        let value = try u8("kind")
        if let kind = TokenKind(rawValue: value) { return kind }
        note(.invalid("kind", "token kind \(value) is not known"))
        return .device
    }

    /// A `device`: by address or by id.
    mutating func device(_ field: String) throws(WireFault) -> DeviceReference {
        switch try u8(field) {
        case 1:
            return .address(
                DeviceAddress(environment: try environment(), kind: try tokenKind(), token: try token("token"))
            )
        case 2:
            return .id(DeviceID(rawValue: try u64(field)))
        default:
            // The size of an unknown form is not known: what follows cannot be read.
            throw .malformed("\(field) is neither of form 1 nor of form 2", field: field)
        }
    }

    /// The least bytes of a `device`: form 2 has 9, form 1 with a token of one byte has 5.
    static let leastDeviceBytes = 5

    /// Reads the tagged section and hands over each field whose tag is known, then checks the end.
    ///
    /// - Parameters:
    ///   - ignoringUnknown: skip unknown odd tags too, as in HELLO and in what a server sends.
    ///   - known: reads the field and returns true, or returns false for a tag that it does not know.
    mutating func finish(
        ignoringUnknown: Bool = false,
        _ known: (inout PayloadReader, UInt32, UnsafeRawBufferPointer) throws(WireFault) -> Bool
    ) throws(WireFault) {
        var unsupported: UInt32?
        if remaining > 0 {
            let count = try uvarint("tag count")
            guard count <= Self.tagLimit else { throw .malformed("\(count) tagged fields; at most \(Self.tagLimit)") }
            var last: UInt32?
            for _ in 0..<count {
                let tag = try uvarint("tag")
                if let last, tag <= last { throw .malformed("tag \(tag) does not ascend") }
                last = tag
                let size = Int(try uvarint("tag \(tag)"))
                let value = try raw(size, "tag \(tag)")
                if try !known(&self, tag, value), !tag.isMultiple(of: 2), unsupported == nil { unsupported = tag }
            }
            guard remaining == 0 else { throw .malformed("\(remaining) bytes after the tagged section") }
        }
        if let unsupported, !ignoringUnknown {
            throw WireFault(.unsupportedField, text: "tag \(unsupported) is not known")
        }
        if let invalid { throw invalid }
    }

    /// An integer that is the whole value of a tag.
    func whole<T: FixedWidthInteger>(
        _ type: T.Type,
        of value: UnsafeRawBufferPointer,
        _ field: String
    ) throws(WireFault) -> T {
        guard value.count == MemoryLayout<T>.size else {
            throw .malformed("\(field) has \(value.count) bytes, not \(MemoryLayout<T>.size)", field: field)
        }
        return T(bigEndian: value.loadUnaligned(as: T.self))
    }

    private mutating func uvarint(_ field: String) throws(WireFault) -> UInt32 {
        var value: UInt64 = 0
        for index in 0..<5 {
            let byte = try u8(field)
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            guard byte & 0x80 == 0 else { continue }
            guard index == 0 || byte != 0 else { throw .malformed("a uvarint in a longer form than it needs") }
            guard let result = UInt32(exactly: value) else { throw .malformed("a uvarint of more than 32 bits") }
            return result
        }
        throw .malformed("a uvarint of more than 5 bytes")
    }

    /// Fields of a tagged section (Protocol 4.2).
    static let tagLimit: UInt32 = 64

    private static let standInApp = AppID("invalid") ?? unreachable()
    private static let standIn = DeviceToken([0]) ?? unreachable()

    private static func unreachable<T>() -> T {
        preconditionFailure("a constant of this file is not valid")
    }
}
