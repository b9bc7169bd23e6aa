internal import CCarillonNghttp2
internal import Glibc

/// What the rules for requests have to know of a field's name.
enum FieldKind: UInt8 {
    case other
    case method, scheme, authority, path
    case host, contentLength, te
    /// A field of a connection in HTTP/1 (RFC 9113, section 8.2.2), a pseudo-header that no request has, or no name at all.
    case forbidden

    init(name: UnsafeRawBufferPointer) {
        guard nghttp2_check_header_name(name.baseAddress?.assumingMemoryBound(to: UInt8.self), name.count) != 0 else {
            self = .forbidden
            return
        }
        self =
            switch name.count {
            case _ where name[0] == UInt8(ascii: ":"): FieldKind(pseudo: name)
            case 2 where name.equals("te"): .te
            case 4 where name.equals("host"): .host
            case 14 where name.equals("content-length"): .contentLength
            case 7 where name.equals("upgrade"), 10 where name.equals("connection"),
                10 where name.equals("keep-alive"), 16 where name.equals("proxy-connection"),
                17 where name.equals("transfer-encoding"):
                .forbidden
            default: .other
            }
    }

    private init(pseudo name: UnsafeRawBufferPointer) {
        self =
            switch name.count {
            case 5 where name.equals(":path"): .path
            case 7 where name.equals(":method"): .method
            case 7 where name.equals(":scheme"): .scheme
            case 10 where name.equals(":authority"): .authority
            default: .forbidden
            }
    }

    /// Whether HTTP allows a value for such a field, by its characters.
    func allows(_ value: UnsafeRawBufferPointer) -> Bool {
        guard let start = value.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return self != .method && self != .path
        }
        return switch self {
        case .method: nghttp2_check_method(start, value.count) != 0
        case .path: nghttp2_check_path(start, value.count) != 0
        case .authority, .host: nghttp2_check_authority(start, value.count) != 0
        case .forbidden: false
        case .te: value.count == 8 && zip(value, "trailers".utf8).allSatisfy { $0 | 0x20 == $1 }
        case .other, .scheme, .contentLength: nghttp2_check_header_value_rfc9113(start, value.count) != 0
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are those of `text`.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let start = baseAddress else { return false }
        return memcmp(start, text.utf8Start, count) == 0
    }
}

/// A field with its name and, right after it, its value, and what is known of both.
struct CheckedField {
    let text: UnsafeRawPointer
    let nameLength: Int
    let valueLength: Int
    let kind: FieldKind
    /// Whether HTTP allows the name and the value.
    let isAllowed: Bool

    var length: Int { nameLength + valueLength }
    var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text, count: nameLength) }
    var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text + nameLength, count: valueLength) }
}

/// The static and the dynamic table of one direction of header compression (RFC 7541, section 2.3), as its reader sees them.
///
/// A field is checked once, when it enters the table, and not at each of its uses.
struct FieldTable: ~Copyable {
    private struct Entry {
        var start: Int
        var nameLength: Int
        var valueLength: Int
        var kind: FieldKind
        var isAllowed: Bool

        /// What it counts for in the table (section 4.1).
        var size: Int { nameLength + valueLength + FieldTable.overhead }
    }

    private static let overhead = 32

    private let fixed = StaticFields.all
    /// The entries as a ring: the newest stands before place `inserted`.
    private var ring = UnsafeMutableBufferPointer<Entry>.allocate(capacity: 32)
    private var inserted = 0
    private var count = 0
    /// The sum of the entries' sizes, at most `limit`.
    private var size = 0
    private var limit: Int
    /// The texts, from the oldest entry's on without gaps; at least twice as large as they are, so that they move seldom.
    private var texts = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
    private var end = 0

    /// - Parameter limit: how large the table may become, in bytes (section 4.2).
    init(limit: Int) { self.limit = limit }

    deinit {
        ring.deallocate()
        texts.deallocate()
    }

    /// The field with a number (section 2.3.3), valid until the table changes.
    @inline(__always)
    func field(_ index: Int) -> CheckedField? {
        if index <= StaticFields.count { return index > 0 ? fixed.fields[index - 1] : nil }
        let place = index - StaticFields.count - 1
        guard place < count, let texts = texts.baseAddress else { return nil }
        let entry = ring[(inserted - 1 - place) & (ring.count - 1)]
        return CheckedField(
            text: texts + entry.start, nameLength: entry.nameLength, valueLength: entry.valueLength, kind: entry.kind,
            isAllowed: entry.isAllowed)
    }

    /// Enters a field, which lies elsewhere, and drops old ones for it (section 4.4).
    mutating func insert(_ field: CheckedField) {
        let size = field.length + Self.overhead
        while count > 0, self.size > limit - size { dropOldest() }
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

    /// Takes a new size of the table (section 6.3).
    mutating func setLimit(_ limit: Int) {
        self.limit = limit
        while size > limit { dropOldest() }
    }

    private var oldest: Int { (inserted - count) & (ring.count - 1) }

    private mutating func dropOldest() {
        size -= ring[oldest].size
        count -= 1
        if count == 0 { end = 0 }
    }

    /// Moves the texts to the front, to a larger place if they would fill more than half of this one.
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
        for place in 0..<count { ring[(inserted - 1 - place) & (ring.count - 1)].start -= start }
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

/// The static table (RFC 7541, appendix A).
// Safety: all memory is written in init, which runs once, and never changed or freed after.
private struct StaticFields: @unchecked Sendable {
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
            let (nameLength, valueLength) = (name.utf8CodeUnitCount, value.utf8CodeUnitCount)
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
