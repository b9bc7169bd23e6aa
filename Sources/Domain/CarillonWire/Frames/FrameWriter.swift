import CarillonCore

/// A writer that appends frames to a block of bytes, which goes to the wire as it is (Protocol 3 and 4).
///
/// Lengths come from our own values, which their types keep within the limits: no `str` of more than 65,535 bytes
/// reaches it.
package struct FrameWriter {
    /// A field of a tagged section, with its value as on the wire (Protocol 4.2).
    struct TaggedField {
        let tag: UInt32
        let value: [UInt8]
    }

    /// The bytes that were written and not taken.
    package private(set) var bytes: [UInt8] = []
    /// The offset of the value of `deadline_ms` in the request that was written last; nil if it has none.
    private(set) var deadlineOffset: Int?

    package init() {}

    /// Returns the bytes and empties the writer.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Removes the bytes and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Removes the bytes after the first `count`.
    package mutating func truncate(to count: Int) {
        bytes.removeLast(max(0, bytes.count - count))
    }

    /// Appends bytes as they are: a preface, an encoded payload.
    package mutating func raw(_ bytes: some Collection<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Appends one frame whose payload `body` writes.
    mutating func frame(
        _ kind: FrameKind,
        flags: UInt8 = 0,
        opcode: Opcode,
        id: UInt64,
        _ body: (inout FrameWriter) -> Void
    ) {
        let start = bytes.count
        u64(UInt64(kind.rawValue) << 24 | UInt64(flags) << 16 | UInt64(opcode.rawValue))
        u64(id)
        body(&self)
        let length = UInt32(truncatingIfNeeded: bytes.count - start - FrameHeader.byteCount)
        patch(length, at: start)
    }

    /// Appends a request that is encoded already, with this id and deadline.
    package mutating func request(_ request: EncodedRequest, id: UInt64, deadlineMilliseconds: UInt32) {
        let start = bytes.count
        bytes.append(contentsOf: request.frame)
        patch(UInt32(truncatingIfNeeded: id >> 32), at: start + FrameHeader.idOffset)
        patch(UInt32(truncatingIfNeeded: id), at: start + FrameHeader.idOffset + 4)
        if let offset = request.deadlineOffset { patch(deadlineMilliseconds, at: start + offset) }
    }

    private mutating func patch(_ value: UInt32, at index: Int) {
        for byte in 0..<4 { bytes[index + byte] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * byte)) }
    }

    mutating func u8(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func u16(_ value: UInt16) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func u32(_ value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func u64(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func uuid(_ value: UUIDBytes) {
        u64(value.high)
        u64(value.low)
    }

    mutating func string(_ text: String) {
        u16(UInt16(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func blob(_ value: some Collection<UInt8>) {
        u32(UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func token(_ token: DeviceToken) {
        u8(UInt8(truncatingIfNeeded: token.bytes.count))
        bytes.append(contentsOf: token.bytes)
    }

    mutating func device(_ reference: DeviceReference) {
        switch reference {
        case .address(let address):
            u8(1)
            u8(address.environment.rawValue)
            u8(address.kind.rawValue)
            token(address.token)
        case .id(let id):
            u8(2)
            u64(id.rawValue)
        }
    }

    /// Appends a `list`; `item` writes each element.
    mutating func list<T>(_ items: some Collection<T>, _ item: (inout FrameWriter, T) -> Void) {
        u32(UInt32(truncatingIfNeeded: items.count))
        for element in items { item(&self, element) }
    }

    /// Appends a `list` item that is a payload of its own, after its length.
    mutating func nested(_ body: (inout FrameWriter) -> Void) {
        let start = bytes.count
        u32(0)
        body(&self)
        patch(UInt32(truncatingIfNeeded: bytes.count - start - 4), at: start)
    }

    /// Appends the tagged section of the fields that are not nil; their tags must ascend.
    mutating func tags(_ fields: [TaggedField?]) {
        let present = fields.compactMap { $0 }
        guard !present.isEmpty else { return }
        uvarint(UInt32(truncatingIfNeeded: present.count))
        for field in present { _ = tag(field) }
    }

    /// Appends the tagged section of a request that has no fields of its own.
    mutating func tags(_ common: CommonFields) {
        section { common.write(to: &$0) }
    }

    /// Appends a tagged section of the fields that `body` writes with `tag`, ascending.
    ///
    /// It writes what `tags` writes, without making a list of fields first.
    ///
    /// - Parameter body: appends the fields to the writer that it gets, and returns how many it has appended. `tag`
    ///   returns 1 for a field and 0 for one that is nil, so this is the sum of its results.
    mutating func section(_ body: (inout FrameWriter) -> Int) {
        let start = bytes.count
        u8(0)
        let count = body(&self)
        if count == 0 {
            bytes.removeLast()
        } else {
            // At most 64 fields: the number is one byte long.
            bytes[start] = UInt8(truncatingIfNeeded: count)
        }
    }

    /// Appends a field of text to a section, unless it is nil; returns the number of fields appended.
    mutating func tag(_ tag: UInt32, _ value: String?) -> Int {
        guard let value else { return 0 }
        uvarint(tag)
        uvarint(UInt32(truncatingIfNeeded: value.utf8.count))
        bytes.append(contentsOf: value.utf8)
        return 1
    }

    /// Appends a field of bytes to a section, unless it is nil; returns the number of fields appended.
    mutating func tag(_ tag: UInt32, _ value: [UInt8]?) -> Int {
        guard let value else { return 0 }
        uvarint(tag)
        uvarint(UInt32(truncatingIfNeeded: value.count))
        if tag == CommonFields.deadlineTag { deadlineOffset = bytes.count }
        bytes.append(contentsOf: value)
        return 1
    }

    /// Appends a field to a section, unless it is nil; returns the number of fields appended.
    mutating func tag(_ field: TaggedField?) -> Int {
        guard let field else { return 0 }
        return tag(field.tag, field.value)
    }

    private mutating func uvarint(_ value: UInt32) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Returns a tagged field of an integer; nil for a nil value.
    static func field<T: FixedWidthInteger>(_ tag: UInt32, _ value: T?) -> TaggedField? {
        value.map { value in TaggedField(tag: tag, value: withUnsafeBytes(of: value.bigEndian) { Array($0) }) }
    }

    /// Returns a tagged field of text; nil for a nil value.
    static func field(_ tag: UInt32, _ value: String?) -> TaggedField? {
        value.map { TaggedField(tag: tag, value: Array($0.utf8)) }
    }

    /// Returns a tagged field of bytes; nil for a nil value.
    static func field(_ tag: UInt32, _ value: [UInt8]?) -> TaggedField? {
        value.map { TaggedField(tag: tag, value: $0) }
    }

    /// Returns a tagged field of a `device`; nil for a nil value.
    static func field(_ tag: UInt32, _ value: DeviceReference?) -> TaggedField? {
        value.map { reference in
            var writer = FrameWriter()
            writer.device(reference)
            return TaggedField(tag: tag, value: writer.bytes)
        }
    }

    /// Returns a tagged field of a `list` whose elements `item` writes; nil if there are no elements.
    static func field<T>(
        _ tag: UInt32, list items: some Collection<T>, _ item: (inout FrameWriter, T) -> Void
    ) -> TaggedField? {
        guard !items.isEmpty else { return nil }
        var writer = FrameWriter()
        writer.list(items, item)
        return TaggedField(tag: tag, value: writer.bytes)
    }
}
