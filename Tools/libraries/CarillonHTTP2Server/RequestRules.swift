/// The rules for the fields of a request (RFC 9113, sections 8.2 and 8.3). nghttp2 cannot check them, because it does
/// not get the fields.
struct RequestRules {
    private struct Flags: OptionSet {
        let rawValue: UInt16

        static let method = Flags(rawValue: 1 << 0)
        static let scheme = Flags(rawValue: 1 << 1)
        static let authority = Flags(rawValue: 1 << 2)
        static let path = Flags(rawValue: 1 << 3)
        static let host = Flags(rawValue: 1 << 4)
        static let contentLength = Flags(rawValue: 1 << 5)
        /// A field that is not a pseudo-header. No pseudo-header may follow it.
        static let regular = Flags(rawValue: 1 << 6)
        static let invalid = Flags(rawValue: 1 << 7)
        static let isConnect = Flags(rawValue: 1 << 8)
        static let isOptions = Flags(rawValue: 1 << 9)
        static let isWeb = Flags(rawValue: 1 << 10)
        static let isAbsolutePath = Flags(rawValue: 1 << 11)
        static let isAsterisk = Flags(rawValue: 1 << 12)

        static let pseudo: Flags = [.method, .scheme, .authority, .path]
    }

    private var seen: Flags = []
    /// The value of `content-length`; nil if the request has none.
    private(set) var contentLength: Int?

    @inline(__always)
    mutating func check(_ field: CheckedField) {
        if !field.isAllowed { seen.insert(.invalid) }
        if field.kind == .other { seen.insert(.regular) } else { checkSpecial(field) }
    }

    private mutating func checkSpecial(_ field: CheckedField) {
        let value = field.value
        switch field.kind {
        case .method:
            insertPseudo(.method)
            if value.equals("CONNECT") { seen.insert(.isConnect) }
            if value.equals("OPTIONS") { seen.insert(.isOptions) }
        case .scheme:
            insertPseudo(.scheme)
            if value.equals("https") || value.equals("http") { seen.insert(.isWeb) }
        case .authority: insertPseudo(.authority)
        case .path:
            insertPseudo(.path)
            if !value.isEmpty, value[0] == UInt8(ascii: "/") { seen.insert(.isAbsolutePath) }
            if value.equals("*") { seen.insert(.isAsterisk) }
        case .host: insertOnce(.host)
        case .contentLength:
            insertOnce(.contentLength)
            contentLength = Self.number(value)
            if contentLength == nil { seen.insert(.invalid) }
        case .te, .other: seen.insert(.regular)
        case .forbidden: seen.insert(.invalid)
        }
    }

    /// Records a pseudo-header. Each may occur once, before all other fields.
    private mutating func insertPseudo(_ field: Flags) {
        if !seen.isDisjoint(with: [field, .regular]) { seen.insert(.invalid) }
        seen.insert(field)
    }

    private mutating func insertOnce(_ field: Flags) {
        if seen.contains(field) { seen.insert(.invalid) }
        seen.formUnion([field, .regular])
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

    /// True if a request may begin with these fields.
    var isRequest: Bool {
        guard !seen.contains(.invalid), seen.contains(.method) else { return false }
        if seen.contains(.isConnect) { return seen.contains(.authority) && seen.isDisjoint(with: [.scheme, .path]) }
        guard seen.isSuperset(of: [.scheme, .path]), !seen.isDisjoint(with: [.authority, .host]) else { return false }
        return !seen.contains(.isWeb) || seen.contains(.isAbsolutePath)
            || seen.isSuperset(of: [.isOptions, .isAsterisk])
    }

    /// True if these fields may follow a body.
    var isTrailer: Bool { seen.isDisjoint(with: Flags.pseudo.union(.invalid)) }
}
