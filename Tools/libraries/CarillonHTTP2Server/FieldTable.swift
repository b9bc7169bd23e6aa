import Glibc

/// The static and the dynamic table of one direction of header compression (RFC 7541, section 2.3), on the reading
/// side.
///
/// A field is checked once, when it is inserted, and not at each use.
struct FieldTable: ~Copyable {
    private struct Entry {
        var start: Int
        var nameLength: Int
        var valueLength: Int
        var kind: FieldKind
        var isAllowed: Bool

        /// The size of the entry in the table (section 4.1).
        var size: Int { nameLength + valueLength + FieldTable.overhead }
    }

    private static let overhead = 32

    private let fixed = StaticFields.all
    /// The entries as a ring. The newest is before index `inserted`.
    private var ring = UnsafeMutableBufferPointer<Entry>.allocate(capacity: 32)
    private var inserted = 0
    private var count = 0
    /// The sum of the entries' sizes, at most `limit`.
    private var size = 0
    private var limit: Int
    /// The texts, from the oldest entry's on without gaps. The memory is at least twice as large as the texts, so that
    /// they are moved seldom.
    private var texts = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
    private var end = 0

    /// Makes an empty table.
    ///
    /// - Parameter limit: the largest size of the table, in bytes (section 4.2).
    init(limit: Int) { self.limit = limit }

    deinit {
        ring.deallocate()
        texts.deallocate()
    }

    /// Returns the field with an index (section 2.3.3), valid until the table changes; nil if no field has it.
    @inline(__always)
    func field(_ index: Int) -> CheckedField? {
        if index <= StaticFields.count { return index > 0 ? fixed.fields[index - 1] : nil }
        let age = index - StaticFields.count - 1
        guard age < count, let texts = texts.baseAddress else { return nil }
        let entry = ring[(inserted - 1 - age) & (ring.count - 1)]
        return CheckedField(
            text: texts + entry.start, nameLength: entry.nameLength, valueLength: entry.valueLength, kind: entry.kind,
            isAllowed: entry.isAllowed)
    }

    /// Inserts a field, whose text is outside the table, and evicts old ones for it (section 4.4).
    mutating func insert(_ field: CheckedField) {
        let size = field.length + Self.overhead
        while count > 0, self.size > limit - size { evictOldest() }
        guard size <= limit else { return }
        if end + field.length > texts.count { makeRoom(for: field.length) }
        if count == ring.count { growRing() }
        guard let target = texts.baseAddress else { return }
        memcpy(target + end, field.text, field.length)
        ring[inserted & (ring.count - 1)] = Entry(
            start: end, nameLength: field.nameLength, valueLength: field.valueLength, kind: field.kind,
            isAllowed: field.isAllowed)
        inserted += 1
        count += 1
        end += field.length
        self.size += size
    }

    /// Changes the size of the table (section 6.3).
    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        while size > limit { evictOldest() }
    }

    private var oldest: Int { (inserted - count) & (ring.count - 1) }

    private mutating func evictOldest() {
        size -= ring[oldest].size
        count -= 1
        if count == 0 { end = 0 }
    }

    /// Moves the texts to the front, into larger memory if they would fill more than half of it.
    private mutating func makeRoom(for length: Int) {
        let start = count > 0 ? ring[oldest].start : end
        let used = UnsafeRawBufferPointer(rebasing: texts[start..<end])
        if 2 * (used.count + length) > texts.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (used.count + length), alignment: 16)
            larger.copyMemory(from: used)
            texts.deallocate()
            texts = larger
        } else {
            texts.copyMemory(from: used)
        }
        for age in 0..<count { ring[(inserted - 1 - age) & (ring.count - 1)].start -= start }
        end = used.count
    }

    private mutating func growRing() {
        let larger = UnsafeMutableBufferPointer<Entry>.allocate(capacity: ring.count * 2)
        for number in inserted - count..<inserted {
            larger[number & (larger.count - 1)] = ring[number & (ring.count - 1)]
        }
        ring.deallocate()
        ring = larger
    }
}

/// A field: its name, directly followed by its value, and the result of checking both.
struct CheckedField {
    let text: UnsafeRawPointer
    let nameLength: Int
    let valueLength: Int
    let kind: FieldKind
    /// True if HTTP allows the name and the value.
    let isAllowed: Bool

    var length: Int { nameLength + valueLength }
    var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text, count: nameLength) }
    var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text + nameLength, count: valueLength) }
}

/// The static table (RFC 7541, appendix A).
// Safety: all memory is written in init, which runs once, and never changed or freed after.
struct StaticFields: @unchecked Sendable {
    static let all = StaticFields()
    static let count = 61

    let fields: UnsafePointer<CheckedField>

    private static let list: [(name: StaticString, value: StaticString)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""),
        ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""),
        ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
        ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
        ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]

    private init() {
        let fields = UnsafeMutableBufferPointer<CheckedField>.allocate(capacity: Self.count)
        for (index, (name, value)) in Self.list.enumerated() {
            let nameLength = name.utf8CodeUnitCount
            let valueLength = value.utf8CodeUnitCount
            let text = UnsafeMutableRawBufferPointer.allocate(byteCount: nameLength + valueLength, alignment: 1)
            text.copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: nameLength))
            UnsafeMutableRawBufferPointer(rebasing: text[nameLength...])
                .copyMemory(from: UnsafeRawBufferPointer(start: value.utf8Start, count: valueLength))
            let kind = FieldKind(name: UnsafeRawBufferPointer(rebasing: text[..<nameLength]))
            fields.initializeElement(
                at: index,
                to: CheckedField(
                    text: UnsafeRawPointer(text.baseAddress.unsafelyUnwrapped), nameLength: nameLength,
                    valueLength: valueLength, kind: kind,
                    isAllowed: kind.allows(UnsafeRawBufferPointer(rebasing: text[nameLength...]))))
        }
        self.fields = UnsafePointer(fields.baseAddress.unsafelyUnwrapped)
    }
}
