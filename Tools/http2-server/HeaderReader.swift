internal import CCarillonNghttp2
internal import Glibc

/// Reads the header blocks of one direction (RFC 7541) with tables of its own.
///
/// nghttp2 decodes Huffman codes four bits at a time, keeps each field in a counted block of its own and checks its characters
/// at each use: with twelve fields a request that was half of all a server did.
struct HeaderReader: ~Copyable {
    private var table: FieldTable
    /// The largest table ever allowed, in bytes; nghttp2 judges each new size itself.
    private var tableLimit: Int
    private let codes = ShortCodes.all
    private var longCodes: LongCodes?
    private var authorization = RememberedText()
    /// Room for the text of one field.
    private var room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 10, alignment: 16)

    /// - Parameter tableSize: what is announced as `SETTINGS_HEADER_TABLE_SIZE`.
    init(tableSize: UInt32) {
        // Until the settings are acknowledged the size is the one that all begin with.
        tableLimit = max(Int(tableSize), Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
        table = FieldTable(limit: Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
    }

    deinit {
        var authorization = authorization
        authorization.free()
        room.deallocate()
    }

    /// The size of the table is announced anew.
    mutating func allowTable(_ size: UInt32) { tableLimit = max(tableLimit, Int(size)) }

    /// Reads a block into `fields`, of which those are left out that do not fit into `limit` bytes.
    ///
    /// Returns how many bytes at its beginning are new sizes of the table; nil if it is no header block.
    mutating func read(_ block: UnsafeRawBufferPointer, into fields: inout FieldList, limit: Int) -> Int? {
        var reader = BlockReader(block)
        while reader.isSize {
            guard let size = reader.readInteger(mask: 0x1F), size <= tableLimit else { return nil }
            table.setLimit(size)
        }
        let sizes = reader.at
        while let first = reader.first {
            if first & 0x80 != 0 {
                guard let index = reader.readInteger(mask: 0x7F), let field = table.field(index) else { return nil }
                fields.append(field, limit: limit)
            } else {
                // A new size has its place before the first field.
                guard !reader.isSize, let field = readLiteral(&reader, first) else { return nil }
                fields.append(field, limit: limit)
                if first & 0x40 != 0 { table.insert(field) }
            }
        }
        return sizes
    }

    /// Reads a literal (section 6.2); the field is valid until the next one.
    private mutating func readLiteral(_ reader: inout BlockReader, _ first: UInt8) -> CheckedField? {
        guard let index = reader.readInteger(mask: first & 0x40 != 0 ? 0x3F : 0x0F) else { return nil }
        if index == 0 {
            guard let name = reader.readString(), let nameLength = write(name, at: 0) else { return nil }
            let kind = FieldKind(name: UnsafeRawBufferPointer(rebasing: room[..<nameLength]))
            return readValue(&reader, nameLength, kind)
        }
        guard let named = table.field(index) else { return nil }
        if index == RememberedText.name { return readAuthorization(&reader, named) }
        reserve(named.nameLength)
        guard let start = room.baseAddress else { return nil }
        memcpy(start, named.text, named.nameLength)
        return readValue(&reader, named.nameLength, named.kind)
    }

    private mutating func readAuthorization(_ reader: inout BlockReader, _ named: CheckedField) -> CheckedField? {
        guard let value = reader.readString() else { return nil }
        if let known = authorization.field(value) { return known }
        reserve(named.nameLength)
        guard let start = room.baseAddress else { return nil }
        memcpy(start, named.text, named.nameLength)
        guard let field = makeField(value, named.nameLength, named.kind) else { return nil }
        authorization.set(value, field)
        return field
    }

    private mutating func readValue(
        _ reader: inout BlockReader, _ nameLength: Int, _ kind: FieldKind
    ) -> CheckedField? {
        guard let value = reader.readString() else { return nil }
        return makeField(value, nameLength, kind)
    }

    /// Makes a field of a name that is in `room` already and a value.
    private mutating func makeField(_ value: CodedString, _ nameLength: Int, _ kind: FieldKind) -> CheckedField? {
        guard let length = write(value, at: nameLength), let start = room.baseAddress else { return nil }
        let text = UnsafeRawBufferPointer(start: start + nameLength, count: length)
        return CheckedField(
            text: start, nameLength: nameLength, valueLength: length, kind: kind, isAllowed: kind.allows(text))
    }

    /// Writes a string's text and returns its length; nil if its codes are none.
    private mutating func write(_ string: CodedString, at offset: Int) -> Int? {
        // Twice the codes is the most that they can become, and they are decoded in pairs.
        reserve(offset + 2 * string.bytes.count + 8)
        let target = UnsafeMutableRawBufferPointer(rebasing: room[offset...])
        guard string.isCoded else {
            target.copyMemory(from: string.bytes)
            return string.bytes.count
        }
        if let length = codes.decode(string.bytes, into: target) { return length }
        if longCodes == nil { longCodes = LongCodes() }
        return longCodes?.decode(string.bytes, into: target)
    }

    /// Makes `room` as large, keeping what is in it.
    private mutating func reserve(_ size: Int) {
        guard size > room.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(room))
        room.deallocate()
        room = larger
    }
}

/// A string as it stands in a block (RFC 7541, section 5.2).
private struct CodedString {
    var bytes: UnsafeRawBufferPointer
    var isCoded: Bool
}

/// Goes through one block.
private struct BlockReader {
    private let block: UnsafeRawBufferPointer
    private(set) var at = 0

    init(_ block: UnsafeRawBufferPointer) { self.block = block }

    var first: UInt8? { at < block.count ? block[at] : nil }

    /// Whether a new size of the table is next (section 6.3).
    var isSize: Bool { at < block.count && block[at] & 0xE0 == 0x20 }

    /// Reads an integer (section 5.1) of at most 28 bits beyond its first byte.
    @inline(__always)
    mutating func readInteger(mask: UInt8) -> Int? {
        guard at < block.count else { return nil }
        let value = block[at] & mask
        at += 1
        return value < mask ? Int(value) : readLong(Int(mask))
    }

    private mutating func readLong(_ start: Int) -> Int? {
        var value = start
        for shift in stride(from: 0, to: 28, by: 7) {
            guard at < block.count else { return nil }
            let byte = block[at]
            at += 1
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    mutating func readString() -> CodedString? {
        let start = at
        guard let count = readInteger(mask: 0x7F), count <= block.count - at else { return nil }
        at += count
        return CodedString(
            bytes: UnsafeRawBufferPointer(rebasing: block[at - count..<at]), isCoded: block[start] & 0x80 != 0)
    }
}

/// Decodes strings with Huffman codes that `ShortCodes` does not have: nghttp2 does, given a field that is nothing else.
private final class LongCodes {
    private let inflater: OpaquePointer
    private var block: [UInt8] = []

    init?() {
        var inflater: OpaquePointer?
        guard nghttp2_hd_inflate_new(&inflater) == 0, let inflater else { return nil }
        self.inflater = inflater
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// The length of the text; nil if the codes are none. After that it decodes nothing more.
    func decode(_ coded: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        // A literal that is not entered into the table, with a name of one letter.
        block = [0x00, 0x01, UInt8(ascii: "x")] + Self.length(coded.count)
        block += coded
        return block.withUnsafeBufferPointer { block in
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let read = nghttp2_hd_inflate_hd2(inflater, &field, &flags, block.baseAddress, block.count, 1)
            guard read == block.count, flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0,
                field.valuelen <= target.count, let start = target.baseAddress
            else { return nil }
            if let text = field.value { memcpy(start, text, field.valuelen) }
            let count = field.valuelen
            // Says that the block is over.
            guard nghttp2_hd_inflate_hd2(inflater, &field, &flags, nil, 0, 1) == 0 else { return nil }
            nghttp2_hd_inflate_end_headers(inflater)
            return count
        }
    }

    /// The length of a coded string, which is below 64 KiB.
    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x7F else { return [0x80 | UInt8(count)] }
        let rest = count - 0x7F
        return [0xFF, UInt8(rest & 0x7F) | 0x80, UInt8(rest >> 7 & 0x7F) | 0x80, UInt8(rest >> 14 & 0x7F)]
    }
}

/// The last value of `authorization`: clients repeat it in each request and keep it out of the tables, as RFC 7541,
/// section 7.1.3, has it.
private struct RememberedText {
    private var coded = ByteStore()
    private var isCoded = false
    private var text = ByteStore()
    private var nameLength = 0
    private var isAllowed = false

    /// The number of `authorization` in the static table.
    static let name = 23

    private static let maxSize = 8_192

    /// The field that `value` makes, if it is the last one again.
    func field(_ value: CodedString) -> CheckedField? {
        guard value.bytes.count == coded.count, value.isCoded == isCoded, let one = value.bytes.baseAddress,
            let other = coded.bytes.baseAddress, memcmp(one, other, coded.count) == 0,
            let start = text.bytes.baseAddress
        else { return nil }
        return CheckedField(
            text: start, nameLength: nameLength, valueLength: text.count - nameLength, kind: .other,
            isAllowed: isAllowed)
    }

    mutating func set(_ value: CodedString, _ field: CheckedField) {
        coded.removeAll()
        text.removeAll()
        let whole = UnsafeRawBufferPointer(start: field.text, count: field.length)
        guard coded.append(value.bytes, limit: Self.maxSize), text.append(whole, limit: Self.maxSize) else {
            return coded.removeAll()
        }
        (nameLength, isAllowed, isCoded) = (field.nameLength, field.isAllowed, value.isCoded)
    }

    mutating func free() {
        coded.free()
        text.free()
    }
}
