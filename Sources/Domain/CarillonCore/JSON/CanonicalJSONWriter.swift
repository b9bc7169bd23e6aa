/// A writer of the canonical form of `Protocol/Payloads.md`: RFC 8785, but whole numbers of 64 bits keep their digits.
///
/// There is no white space; members are sorted by the UTF-16 code units of their names; only necessary escapes are
/// written.
struct CanonicalJSONWriter {
    private var output = JSONStreamWriter()

    /// Returns the bytes of an object.
    ///
    /// - Throws: a fault whose field is the path of the value, with dots below `field`: a number that is not finite, or
    ///   a value that is nested too deep.
    static func write(_ members: [String: JSONValue], field: String) throws(MessageError) -> [UInt8] {
        var writer = CanonicalJSONWriter()
        try writer.write(.object(members), depth: 1, field: field)
        return writer.output.bytes
    }

    private mutating func write(_ value: JSONValue, depth: Int, field: String) throws(MessageError) {
        switch value {
        case .object(let members):
            try check(depth, field: field)
            output.beginObject()
            for (name, value) in members.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
                output.name(name)
                try write(value, depth: depth + 1, field: "\(field).\(name)")
            }
            output.endObject()
        case .array(let items):
            try check(depth, field: field)
            output.beginArray()
            for item in items { try write(item, depth: depth + 1, field: field) }
            output.endArray()
        case .text(let text): output.string(text)
        case .integer(let value): output.number(value)
        case .number(let value):
            guard value.isFinite else { throw MessageError(field: field, text: "\(value) is not a JSON number") }
            output.json(Self.digits(of: value).utf8)
        case .bool(let value): output.boolean(value)
        case .null: output.null()
        }
    }

    private func check(_ depth: Int, field: String) throws(MessageError) {
        guard depth <= JSONValue.maximumDepth else {
            throw MessageError(field: field, text: "nested deeper than \(JSONValue.maximumDepth)")
        }
    }

    /// Returns the shortest digits that parse to the same number, with the decimal point where ECMAScript puts it (RFC
    /// 8785 section 3.2.2.3).
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
    /// Returns the bytes of an object in the canonical form of `Protocol/Payloads.md`.
    ///
    /// - Throws: a fault whose field is the path of the value, with dots below `field`: a number that is not finite, or
    ///   a value that is nested too deep.
    package static func encode(_ members: [String: JSONValue], field: String) throws(MessageError) -> [UInt8] {
        try CanonicalJSONWriter.write(members, field: field)
    }

    /// Returns the text of the value: a string as it is, all else as canonical JSON. It serves values that a peer takes
    /// only as strings.
    ///
    /// - Throws: as `encode`.
    package func text(field: String) throws(MessageError) -> String {
        if case .text(let text) = self { return text }
        // The writer writes objects: the value is the only member of one.
        let bytes = try CanonicalJSONWriter.write(["": self], field: field)
        let head = #"{"":"#
        return String(decoding: bytes.dropFirst(head.utf8.count).dropLast(), as: UTF8.self)
    }
}
