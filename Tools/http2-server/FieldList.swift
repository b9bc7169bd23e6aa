internal import Glibc

/// The fields of one request, in memory kept for the next, and what is known of them as a whole.
struct FieldList {
    /// Where a header field lies in `texts`: the name, and right after it the value.
    struct Entry {
        var start: UInt32
        var nameLength: UInt16
        var valueLength: UInt16
    }

    private(set) var count = 0
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var length = 0
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: maxCount)
    private(set) var rules = RequestRules()
    /// Whether some did not fit.
    private(set) var isTooLong = false

    static let maxCount = 64

    /// Names and values.
    var texts: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.baseAddress, count: length) }

    /// Adds a field; one that does not fit into `limit` bytes in all is left out.
    @inline(__always)
    mutating func append(_ field: CheckedField, limit: Int) {
        rules.take(field)
        let end = length + field.length
        guard !isTooLong, count < Self.maxCount, end <= limit else {
            isTooLong = true
            return
        }
        if end > memory.count { grow(to: end) }
        guard let target = memory.baseAddress else { return }
        memcpy(target + length, field.text, field.length)
        entries[count] = Entry(
            start: UInt32(truncatingIfNeeded: length), nameLength: UInt16(truncatingIfNeeded: field.nameLength),
            valueLength: UInt16(truncatingIfNeeded: field.valueLength))
        count += 1
        length = end
    }

    @inline(never)
    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1 << 10, 2 * size), alignment: 16)
        larger.copyMemory(from: texts)
        memory.deallocate()
        memory = larger
    }

    mutating func removeAll() {
        count = 0
        length = 0
        rules = RequestRules()
        isTooLong = false
    }

    mutating func free() {
        memory.deallocate()
        entries.deallocate()
    }
}

/// The rules for the fields of a request (RFC 9113, sections 8.2 and 8.3), which nghttp2 does not know: it is not shown them.
struct RequestRules {
    private struct Seen: OptionSet {
        let rawValue: UInt16

        static let method = Seen(rawValue: 1 << 0)
        static let scheme = Seen(rawValue: 1 << 1)
        static let authority = Seen(rawValue: 1 << 2)
        static let path = Seen(rawValue: 1 << 3)
        static let host = Seen(rawValue: 1 << 4)
        static let contentLength = Seen(rawValue: 1 << 5)
        /// A field that is no pseudo-header: none of those may follow.
        static let plain = Seen(rawValue: 1 << 6)
        static let wrong = Seen(rawValue: 1 << 7)
        static let isConnect = Seen(rawValue: 1 << 8)
        static let isOptions = Seen(rawValue: 1 << 9)
        static let isWeb = Seen(rawValue: 1 << 10)
        static let isAbsolutePath = Seen(rawValue: 1 << 11)
        static let isAsterisk = Seen(rawValue: 1 << 12)

        static let pseudo: Seen = [.method, .scheme, .authority, .path]
    }

    private var seen: Seen = []
    /// What `content-length` says, if it is there.
    private(set) var contentLength: Int?

    @inline(__always)
    mutating func take(_ field: CheckedField) {
        if !field.isAllowed { seen.insert(.wrong) }
        if field.kind == .other { seen.insert(.plain) } else { takeSpecial(field) }
    }

    private mutating func takeSpecial(_ field: CheckedField) {
        let value = field.value
        switch field.kind {
        case .method:
            note(.method)
            if value.equals("CONNECT") { seen.insert(.isConnect) }
            if value.equals("OPTIONS") { seen.insert(.isOptions) }
        case .scheme:
            note(.scheme)
            if value.equals("https") || value.equals("http") { seen.insert(.isWeb) }
        case .authority: note(.authority)
        case .path:
            note(.path)
            if !value.isEmpty, value[0] == UInt8(ascii: "/") { seen.insert(.isAbsolutePath) }
            if value.equals("*") { seen.insert(.isAsterisk) }
        case .host: noteOnce(.host)
        case .contentLength:
            noteOnce(.contentLength)
            contentLength = Self.number(value)
            if contentLength == nil { seen.insert(.wrong) }
        case .te, .other: seen.insert(.plain)
        case .forbidden: seen.insert(.wrong)
        }
    }

    /// Notes a pseudo-header, each of which may be there once and before all other fields.
    private mutating func note(_ field: Seen) {
        if !seen.isDisjoint(with: [field, .plain]) { seen.insert(.wrong) }
        seen.insert(field)
    }

    private mutating func noteOnce(_ field: Seen) {
        if seen.contains(field) { seen.insert(.wrong) }
        seen.formUnion([field, .plain])
    }

    private static func number(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard (1...18).contains(digits.count) else { return nil }
        var number = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// Whether a request may begin with these fields.
    var isRequest: Bool {
        guard !seen.contains(.wrong), seen.contains(.method) else { return false }
        if seen.contains(.isConnect) { return seen.contains(.authority) && seen.isDisjoint(with: [.scheme, .path]) }
        guard seen.isSuperset(of: [.scheme, .path]), !seen.isDisjoint(with: [.authority, .host]) else { return false }
        return !seen.contains(.isWeb) || seen.contains(.isAbsolutePath)
            || seen.isSuperset(of: [.isOptions, .isAsterisk])
    }

    /// Whether these fields may follow a body.
    var isTrailer: Bool { seen.isDisjoint(with: Seen.pseudo.union(.wrong)) }
}
