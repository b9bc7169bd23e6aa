/// A writer of the canonical form of `Protocol/Payloads.md`: RFC 8785, but whole numbers of 64 bits keep their digits.
///
/// There is no white space; members are sorted by the UTF-16 code units of their names; only necessary escapes are
/// written.
struct JSONWriter {
    private var bytes: [UInt8] = []

    /// The bytes of an object.
    ///
    /// - Throws: A fault whose field is the path of the value, with dots below `field`: a number that is not finite, or
    ///   a value that is nested too deep.
    static func write(_ members: [String: JSONValue], field: String) throws(MessageFault) -> [UInt8] {
        var writer = JSONWriter()
        try writer.write(.object(members), depth: 1, field: field)
        return writer.bytes
    }

    /// A text as a string of JSON.
    static func string(_ text: String) -> String {
        var writer = JSONWriter()
        writer.write(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private mutating func write(_ value: JSONValue, depth: Int, field: String) throws(MessageFault) {
        switch value {
        case .object(let members):
            try check(depth, field)
            let sorted = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            try list(sorted, open: "{", close: "}") { writer, member throws(MessageFault) in
                writer.write(member.key)
                writer.bytes.append(UInt8(ascii: ":"))
                try writer.write(member.value, depth: depth + 1, field: "\(field).\(member.key)")
            }
        case .array(let items):
            try check(depth, field)
            try list(items, open: "[", close: "]") { writer, item throws(MessageFault) in
                try writer.write(item, depth: depth + 1, field: field)
            }
        case .text(let text): write(text)
        case .integer(let value): bytes += String(value).utf8
        case .number(let value):
            guard value.isFinite else { throw MessageFault(field: field, text: "\(value) is not a JSON number") }
            bytes += Self.digits(of: value).utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .null: bytes += "null".utf8
        }
    }

    private func check(_ depth: Int, _ field: String) throws(MessageFault) {
        guard depth <= JSONValue.maximumDepth else {
            throw MessageFault(field: field, text: "nested deeper than \(JSONValue.maximumDepth)")
        }
    }

    private mutating func list<Item>(
        _ items: [Item],
        open: Unicode.Scalar,
        close: Unicode.Scalar,
        _ write: (inout JSONWriter, Item) throws(MessageFault) -> Void
    ) throws(MessageFault) {
        bytes.append(UInt8(ascii: open))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            try write(&self, item)
        }
        bytes.append(UInt8(ascii: close))
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0C: bytes += #"\f"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case 0..<0x20: bytes += (#"\u00"# + Hex.string([byte])).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The shortest digits that parse to the same number, with the decimal point where ECMAScript puts it (RFC 8785
    /// section
    /// 3.2.2.3).
    private static func digits(of value: Double) -> String {
        if value == 0 { return "0" }
        if value < 0 { return "-" + digits(of: -value) }
        // Swift finds the same shortest digits but chooses the exponent by other rules: separate the digits from the
        // point.
        let parts = value.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        var digits = mantissa.joined()
        var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.first == "0" {
            digits.removeFirst()
            point -= 1
        }
        while digits.last == "0" { digits.removeLast() }
        func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
        switch point {
        case digits.count...21: return digits + zeros(point - digits.count)
        case 1...21: return "\(digits.prefix(point)).\(digits.dropFirst(point))"
        case -5...0: return "0.\(zeros(-point))\(digits)"
        default:
            let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
            return "\(digits.prefix(1))\(fraction)e\(point > 0 ? "+" : "-")\(abs(point - 1))"
        }
    }
}

extension JSONValue {
    /// A text as a string of JSON, with its quotes.
    package static func quoted(_ text: String) -> String { JSONWriter.string(text) }
}
