import CarillonCore

/// A reader of the fields of one payload, front to back, never past its end (Protocol 4).
///
/// Malformed bytes throw at once. An invalid field (right form, wrong value) is recorded, and reading goes on with a
/// placeholder, because a fault of form later in the payload takes precedence (Protocol 15.1). `finish` throws the
/// recorded fault.
///
/// It reads memory that it does not own: use it only inside the closure that lent the bytes.
package struct PayloadReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var invalid: WireError?
    private var tooLarge: WireError?
    /// The field whose parts are being read; faults name it instead of the part. nil between fields.
    var currentField: (name: String, item: UInt32?)?
    /// The app that was read last from the same client: most often the next one is the same.
    var lastApp: AppID?

    init(_ bytes: UnsafeRawBufferPointer, lastApp: AppID? = nil) {
        self.bytes = bytes
        self.lastApp = lastApp
    }

    var hasInvalid: Bool { invalid != nil }

    private var remaining: Int { bytes.count - offset }

    // MARK: Faults

    func malformed(_ field: String, because text: String) -> WireError {
        WireError(.malformed, field: currentField?.name ?? field, text: text, item: currentField?.item)
    }

    /// Records a field with a value that is not allowed; `finish` throws the first one recorded.
    mutating func recordInvalid(_ field: String, because text: String, limit: UInt64? = nil, column: UInt32? = nil) {
        guard invalid == nil else { return }
        invalid = WireError(
            .invalidArgument,
            field: currentField?.name ?? field,
            text: text,
            limit: limit,
            item: currentField?.item,
            column: column
        )
    }

    /// Records a payload above its limit; `finish` throws the first one recorded if nothing else is wrong.
    mutating func recordTooLarge(_ field: String, because text: String, limit: UInt64, item: UInt32? = nil) {
        guard tooLarge == nil else { return }
        tooLarge = WireError(
            .tooLarge,
            field: currentField?.name ?? field,
            text: text,
            limit: limit,
            item: currentField?.item ?? item
        )
    }

    // MARK: Types (Protocol 4.1)

    mutating func u8(_ field: String) throws(WireError) -> UInt8 {
        try integer(UInt8.self, field: field)
    }

    mutating func u16(_ field: String) throws(WireError) -> UInt16 {
        try integer(UInt16.self, field: field)
    }

    mutating func u32(_ field: String) throws(WireError) -> UInt32 {
        try integer(UInt32.self, field: field)
    }

    mutating func u64(_ field: String) throws(WireError) -> UInt64 {
        try integer(UInt64.self, field: field)
    }

    private mutating func integer<T: FixedWidthInteger>(_ type: T.Type, field: String) throws(WireError) -> T {
        let size = MemoryLayout<T>.size
        guard remaining >= size else { throw malformed(field, because: "the payload ends inside \(field)") }
        defer { offset += size }
        return T(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// Takes the next `count` bytes, in place.
    mutating func raw(_ count: Int, field: String) throws(WireError) -> UnsafeRawBufferPointer {
        guard count <= remaining else { throw malformed(field, because: "the payload ends inside \(field)") }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    mutating func uuid(_ field: String) throws(WireError) -> UUIDBytes {
        UUIDBytes(high: try u64(field), low: try u64(field))
    }

    mutating func uuid(of value: UnsafeRawBufferPointer, field: String) throws(WireError) -> UUIDBytes {
        guard value.count == 16 else { throw malformed(field, because: "\(field) has \(value.count) bytes, not 16") }
        var reader = PayloadReader(value)
        return try reader.uuid(field)
    }

    mutating func time(_ field: String) throws(WireError) -> Timestamp {
        Timestamp(milliseconds: try u64(field))
    }

    /// Reads a `str` whose length in bytes must be within `limits`; by default, any length that a `str` can have.
    mutating func string(_ field: String, limits: ClosedRange<Int> = 0...65_535) throws(WireError) -> String {
        let count = Int(try u16(field))
        return try text(try raw(count, field: field), field: field, limits: limits)
    }

    /// Returns the text of bytes already delimited: of a `str`, or of a tag.
    mutating func text(
        _ bytes: UnsafeRawBufferPointer,
        field: String,
        limits: ClosedRange<Int> = 0...65_535
    ) throws(WireError) -> String {
        guard let text = Self.text(bytes) else {
            throw malformed(field, because: "\(field) is not UTF-8 without U+0000")
        }
        if !limits.contains(bytes.count) {
            recordInvalid(
                field, because: "\(field) has \(bytes.count) bytes, not \(limits.lowerBound) to \(limits.upperBound)")
        }
        return text
    }

    /// Returns the text of UTF-8 without U+0000; nil for other bytes.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        if bytes.allSatisfy({ 1...0x7F ~= $0 }) { return String(decoding: bytes, as: UTF8.self) }
        // This validation is generic over its bytes, and takes several times as long.
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// Reads a `bytes` of any length that the payload holds.
    mutating func blob(_ field: String) throws(WireError) -> UnsafeRawBufferPointer {
        let count = Int(try u32(field))
        return try raw(count, field: field)
    }

    mutating func token(_ field: String) throws(WireError) -> DeviceToken {
        let count = Int(try u8(field))
        // A statement of its own: as an argument it would make a copy of the reader, which it changes.
        let bytes = try raw(count, field: field)
        return try token(bytes, field: field)
    }

    /// Returns the token of bytes already delimited.
    func token(_ bytes: UnsafeRawBufferPointer, field: String) throws(WireError) -> DeviceToken {
        guard let token = DeviceToken(Array(bytes)) else {
            throw malformed(field, because: "a token has 1 to \(DeviceToken.maximumBytes) bytes, not \(bytes.count)")
        }
        return token
    }

    /// Reads a `list`: its count is checked against the bytes left before memory is reserved for it, then `item` reads
    /// each element.
    ///
    /// - Parameter elementBytes: the least bytes of an element. Callers write it as the sum of the fields, of which a
    ///   `str` has at least the 2 bytes of its length, and a `bytes` or `list` 4.
    mutating func list(
        _ field: String,
        elementBytes: Int,
        _ item: (inout PayloadReader, Int) throws(WireError) -> Void,
        counted: (inout PayloadReader, Int) -> Void = { _, _ in }
    ) throws(WireError) {
        let count = Int(try u32(field))
        let (needed, overflow) = count.multipliedReportingOverflow(by: elementBytes)
        guard !overflow, needed <= remaining else {
            throw malformed(field, because: "\(field) announces more items than the payload holds")
        }
        counted(&self, count)
        for index in 0..<count {
            currentField = (field, UInt32(truncatingIfNeeded: index))
            try item(&self, index)
        }
        currentField = nil
    }

    /// Reads a `list` whose count must be within `counts`; items beyond them are read and not kept.
    mutating func items<T>(
        _ field: String,
        counts: ClosedRange<Int>,
        elementBytes: Int,
        _ item: (inout PayloadReader) throws(WireError) -> T
    ) throws(WireError) -> [T] {
        var items: [T] = []
        try list(field, elementBytes: elementBytes) { reader, index throws(WireError) in
            let element = try item(&reader)
            if index < counts.upperBound { items.append(element) }
        } counted: { reader, count in
            guard !counts.contains(count) else { return }
            let text = "\(count) \(field), not \(counts.lowerBound) to \(counts.upperBound)"
            reader.recordInvalid(
                field, because: text, limit: count > counts.upperBound ? UInt64(counts.upperBound) : nil)
        }
        return items
    }

    // MARK: The tagged section (Protocol 4.2)

    /// Reads the tagged section, hands each field to `known`, and throws the recorded fault.
    ///
    /// - Parameters:
    ///   - ignoringUnknown: skip unknown odd tags too, as in HELLO and in answers.
    ///   - required: a tag that must be present; its absence is recorded in its position among the others.
    ///   - known: reads the field and returns true, or returns false for a tag that it does not know.
    mutating func finish(
        ignoringUnknown: Bool = false,
        requiring required: (tag: UInt32, field: String)? = nil,
        _ known: (inout PayloadReader, UInt32, UnsafeRawBufferPointer) throws(WireError) -> Bool
    ) throws(WireError) {
        if remaining == 0, required == nil {
            if let fault = invalid ?? tooLarge { throw fault }
            return
        }
        var unsupported: UInt32?
        var missing = required
        for (tag, value) in try section() {
            if let field = missing, tag >= field.tag {
                if tag > field.tag { recordInvalid(field.field, because: "\(field.field) is missing") }
                missing = nil
            }
            if try !known(&self, tag, value), !tag.isMultiple(of: 2), unsupported == nil { unsupported = tag }
        }
        if let missing { recordInvalid(missing.field, because: "\(missing.field) is missing") }
        if let unsupported, !ignoringUnknown {
            throw WireError(.unsupportedField, text: "tag \(unsupported) is not known")
        }
        if let fault = invalid ?? tooLarge { throw fault }
    }

    /// Ends the payload of an answer that has no tags; unknown ones are skipped.
    mutating func finishAnswer() throws(WireError) {
        try finish(ignoringUnknown: true) { _, _, _ in false }
    }

    /// Reads the form of the whole section, before any value in it.
    private mutating func section() throws(WireError) -> [(tag: UInt32, value: UnsafeRawBufferPointer)] {
        guard remaining > 0 else { return [] }
        let count = try uvarint()
        guard count <= Self.maximumTags else {
            throw WireError(.malformed, text: "\(count) tagged fields; at most \(Self.maximumTags)")
        }
        var fields: [(tag: UInt32, value: UnsafeRawBufferPointer)] = []
        for _ in 0..<count {
            let tag = try uvarint()
            if let last = fields.last?.tag, tag <= last {
                throw WireError(.malformed, text: "tag \(tag) does not ascend")
            }
            let size = Int(try uvarint())
            guard size <= remaining else { throw WireError(.malformed, text: "the payload ends inside tag \(tag)") }
            fields.append((tag, try raw(size, field: "tag")))
        }
        guard remaining == 0 else {
            throw WireError(.malformed, text: "\(remaining) bytes after the tagged section")
        }
        return fields
    }

    /// Returns true if the section that begins here has the tag; false if the section is malformed.
    func hasTag(_ tag: UInt32) -> Bool {
        var ahead = self
        // Why try?: the malformed section is reported when it is read.
        return (try? ahead.section().contains { $0.tag == tag }) ?? false
    }

    /// Reads a `list` or `device` that fills the value of a tag.
    mutating func parse<T>(
        _ value: UnsafeRawBufferPointer, as field: String, _ body: (inout PayloadReader) throws(WireError) -> T
    ) throws(WireError) -> T {
        var inner = PayloadReader(value)
        let result = try body(&inner)
        guard inner.remaining == 0 else { throw malformed(field, because: "\(inner.remaining) bytes after \(field)") }
        invalid = invalid ?? inner.invalid
        tooLarge = tooLarge ?? inner.tooLarge
        return result
    }

    /// Reads a `u8` that fills the value of a tag and is 0 or 1.
    mutating func flag(_ value: UnsafeRawBufferPointer, field: String) throws(WireError) -> Bool {
        let number = try integer(UInt8.self, of: value, field: field)
        if number > 1 { recordInvalid(field, because: "\(field) \(number) is neither 0 nor 1") }
        return number == 1
    }

    /// Reads an integer that fills the value of a tag.
    func integer<T: FixedWidthInteger>(
        _ type: T.Type,
        of value: UnsafeRawBufferPointer,
        field: String
    ) throws(WireError) -> T {
        guard value.count == MemoryLayout<T>.size else {
            throw malformed(field, because: "\(field) has \(value.count) bytes, not \(MemoryLayout<T>.size)")
        }
        return T(bigEndian: value.loadUnaligned(as: T.self))
    }

    /// Reads a point in time that fills the value of a tag.
    func time(of value: UnsafeRawBufferPointer, field: String) throws(WireError) -> Timestamp {
        Timestamp(milliseconds: try integer(UInt64.self, of: value, field: field))
    }

    private mutating func uvarint() throws(WireError) -> UInt32 {
        var value: UInt64 = 0
        for index in 0..<5 {
            guard remaining > 0 else { throw WireError(.malformed, text: "the payload ends inside a uvarint") }
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            guard byte & 0x80 == 0 else { continue }
            guard index == 0 || byte != 0 else {
                throw WireError(.malformed, text: "a uvarint in a longer form than it needs")
            }
            guard let result = UInt32(exactly: value) else {
                throw WireError(.malformed, text: "a uvarint of more than 32 bits")
            }
            return result
        }
        throw WireError(.malformed, text: "a uvarint of more than 5 bytes")
    }

    /// The most fields of a tagged section (Protocol 4.2).
    static let maximumTags: UInt32 = 64
}
