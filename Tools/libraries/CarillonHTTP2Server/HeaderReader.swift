import CCarillonNghttp2
import CarillonHTTP2
import Glibc

/// A reader of the header blocks of one direction (RFC 7541), with tables of its own.
///
/// nghttp2 decodes Huffman codes four bits at a time, keeps each field in a reference-counted block and checks its
/// characters at each use. With twelve fields a request, that was half of a server's time.
struct HeaderReader: ~Copyable {
    private var table: FieldTable
    /// The largest table that was ever allowed, in bytes. nghttp2 checks each new size itself.
    private var tableLimit: Int
    private let codes = ShortHuffmanCodes.all
    private var longDecoder: LongHuffmanDecoder?
    private var authorization = AuthorizationCache()
    /// The memory for the text of one field.
    private var room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 10, alignment: 16)

    /// Makes the reader of a connection.
    ///
    /// - Parameter tableSize: the announced `SETTINGS_HEADER_TABLE_SIZE`.
    init(tableSize: UInt32) {
        // Until the settings are acknowledged, the default size applies.
        tableLimit = max(Int(tableSize), Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
        table = FieldTable(limit: Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
    }

    deinit {
        var authorization = authorization
        authorization.free()
        room.deallocate()
    }

    /// Allows another size of the table, which was announced.
    mutating func allowTable(_ size: UInt32) { tableLimit = max(tableLimit, Int(size)) }

    /// Reads a block into `fields`, without the fields that do not fit into `limit` bytes.
    ///
    /// Returns the number of bytes at the beginning of the block that are new sizes of the table; nil if the block is
    /// not valid.
    mutating func read(_ block: UnsafeRawBufferPointer, into fields: inout FieldList, limit: Int) -> Int? {
        var reader = BlockReader(block)
        while reader.isAtTableSize {
            guard let size = reader.readInteger(mask: 0x1F), size <= tableLimit else { return nil }
            table.setLimit(size)
        }
        let sizes = reader.position
        while let first = reader.first {
            if first & 0x80 != 0 {
                guard let index = reader.readInteger(mask: 0x7F), let field = table.field(index) else { return nil }
                fields.append(field, limit: limit)
            } else {
                // A new size may only come before the first field.
                guard !reader.isAtTableSize, let field = readLiteral(&reader, first: first) else { return nil }
                fields.append(field, limit: limit)
                if first & 0x40 != 0 { table.insert(field) }
            }
        }
        return sizes
    }

    /// Reads a literal (section 6.2); nil if it is malformed. The field is valid until the next one.
    private mutating func readLiteral(_ reader: inout BlockReader, first: UInt8) -> CheckedField? {
        guard let index = reader.readInteger(mask: first & 0x40 != 0 ? 0x3F : 0x0F) else { return nil }
        if index == 0 {
            guard let name = reader.readString(), let nameLength = write(name, at: 0) else { return nil }
            let kind = FieldKind(name: UnsafeRawBufferPointer(rebasing: room[..<nameLength]))
            return readValue(from: &reader, nameLength: nameLength, kind: kind)
        }
        guard let named = table.field(index) else { return nil }
        if index == AuthorizationCache.nameIndex { return readAuthorization(&reader, named: named) }
        reserve(named.nameLength)
        guard let start = room.baseAddress else { return nil }
        memcpy(start, named.text, named.nameLength)
        return readValue(from: &reader, nameLength: named.nameLength, kind: named.kind)
    }

    private mutating func readAuthorization(_ reader: inout BlockReader, named: CheckedField) -> CheckedField? {
        guard let value = reader.readString() else { return nil }
        if let known = authorization.field(value) { return known }
        reserve(named.nameLength)
        guard let start = room.baseAddress else { return nil }
        memcpy(start, named.text, named.nameLength)
        guard let field = makeField(value, nameLength: named.nameLength, kind: named.kind) else { return nil }
        authorization.set(value, of: field)
        return field
    }

    private mutating func readValue(from reader: inout BlockReader, nameLength: Int, kind: FieldKind) -> CheckedField? {
        guard let value = reader.readString() else { return nil }
        return makeField(value, nameLength: nameLength, kind: kind)
    }

    /// Makes a field from a name that is in `room` already and a value.
    private mutating func makeField(_ value: CodedString, nameLength: Int, kind: FieldKind) -> CheckedField? {
        guard let length = write(value, at: nameLength), let start = room.baseAddress else { return nil }
        let text = UnsafeRawBufferPointer(start: start + nameLength, count: length)
        return CheckedField(
            text: start, nameLength: nameLength, valueLength: length, kind: kind, isAllowed: kind.allows(text))
    }

    /// Writes a string's text and returns its length; nil if its Huffman codes are invalid.
    private mutating func write(_ string: CodedString, at offset: Int) -> Int? {
        // The text is at most twice as long as the codes, which are decoded in pairs.
        reserve(offset + 2 * string.bytes.count + 8)
        let target = UnsafeMutableRawBufferPointer(rebasing: room[offset...])
        guard string.isCoded else {
            target.copyMemory(from: string.bytes)
            return string.bytes.count
        }
        if let length = codes.decode(string.bytes, into: target) { return length }
        if longDecoder == nil { longDecoder = LongHuffmanDecoder() }
        return longDecoder?.decode(string.bytes, into: target)
    }

    /// Enlarges `room` to `size` bytes and keeps its contents.
    private mutating func reserve(_ size: Int) {
        guard size > room.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(room))
        room.deallocate()
        room = larger
    }
}

/// The last value of `authorization`. Clients repeat it in each request and keep it out of the tables, as RFC 7541,
/// section 7.1.3, recommends.
struct AuthorizationCache {
    private var coded = ByteStore()
    private var isCoded = false
    private var text = ByteStore()
    private var nameLength = 0
    private var isAllowed = false

    /// The index of `authorization` in the static table.
    static let nameIndex = 23

    private static let maximumBytes = 8_192

    /// Returns the field with `value`; nil if that is not the last value again.
    func field(_ value: CodedString) -> CheckedField? {
        guard value.bytes.count == coded.count, value.isCoded == isCoded, let one = value.bytes.baseAddress,
            let other = coded.bytes.baseAddress, memcmp(one, other, coded.count) == 0,
            let start = text.bytes.baseAddress
        else { return nil }
        return CheckedField(
            text: start, nameLength: nameLength, valueLength: text.count - nameLength, kind: .other,
            isAllowed: isAllowed)
    }

    mutating func set(_ value: CodedString, of field: CheckedField) {
        coded.removeAll()
        text.removeAll()
        let whole = UnsafeRawBufferPointer(start: field.text, count: field.length)
        guard coded.append(value.bytes, limit: Self.maximumBytes), text.append(whole, limit: Self.maximumBytes) else {
            return coded.removeAll()
        }
        nameLength = field.nameLength
        isAllowed = field.isAllowed
        isCoded = value.isCoded
    }

    mutating func free() {
        coded.free()
        text.free()
    }
}
