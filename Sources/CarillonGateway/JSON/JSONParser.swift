import CarillonCore

/// Reads one JSON text (RFC 8259) within bounds of depth and of the number of values.
///
/// Bytes of a peer never trap, and cost memory in proportion to their number. Duplicate names in an object, lone
/// surrogates and bytes that are no UTF-8 are refused.
package struct JSONParser {
    /// Why a text is refused, and at which byte, from 0.
    package struct Fault: Error, Hashable, Sendable {
        /// What is wrong.
        package var text: String
        /// The byte at which it is.
        package var offset: Int
    }

    /// The deepest nesting: a payload may have 32 levels, and stands within a list of a request.
    package static let maximumDepth = 40
    /// The most values of a text: a batch of 1,000 registrations with everything that they can have is within it.
    package static let maximumValues = 200_000

    private let bytes: [UInt8]
    private var offset = 0
    private var values = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a text that has one value and nothing else.
    package static func parse(_ bytes: [UInt8]) throws(Fault) -> JSONNode {
        var parser = JSONParser(bytes)
        let node = try parser.value(depth: 1)
        parser.skipSpace()
        guard parser.offset == bytes.count else { throw parser.fault("something follows the value") }
        return node
    }

    private func fault(_ text: String, at offset: Int? = nil) -> Fault {
        Fault(text: text, offset: offset ?? self.offset)
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> JSONNode {
        skipSpace()
        values += 1
        guard values <= Self.maximumValues else { throw fault("there are more than \(Self.maximumValues) values") }
        guard depth <= Self.maximumDepth else { throw fault("values are nested more than \(Self.maximumDepth) deep") }
        let start = offset
        let value: JSONNode.Value
        switch current {
        case UInt8(ascii: "{"): value = .object(try members(depth: depth))
        case UInt8(ascii: "["): value = .array(try items(depth: depth))
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"): value = try word("true", .boolean(true))
        case UInt8(ascii: "f"): value = try word("false", .boolean(false))
        case UInt8(ascii: "n"): value = try word("null", .null)
        case UInt8(ascii: "-")?: value = .number(try number())
        case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit): value = .number(try number())
        case nil: throw fault("the text ends where a value is expected")
        default: throw fault("a value is expected")
        }
        return JSONNode(value: value, range: start..<offset)
    }

    private mutating func word(_ word: StaticString, _ value: JSONNode.Value) throws(Fault) -> JSONNode.Value {
        let end = offset + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { end <= bytes.count && bytes[offset..<end].elementsEqual($0) }
        guard matches else { throw fault("a value is expected") }
        offset = end
        return value
    }

    private mutating func items(depth: Int) throws(Fault) -> [JSONNode] {
        offset += 1
        skipSpace()
        var items: [JSONNode] = []
        if take("]") { return items }
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return items }
            guard take(",") else { throw fault("a comma or ] is expected") }
        }
    }

    private mutating func members(depth: Int) throws(Fault) -> [JSONNode.Member] {
        offset += 1
        skipSpace()
        var members: [JSONNode.Member] = []
        var names: Set<String> = []
        if take("}") { return members }
        while true {
            skipSpace()
            let start = offset
            guard current == UInt8(ascii: "\"") else { throw fault("a name is expected") }
            let name = try string()
            guard names.insert(name).inserted else { throw fault("a name occurs twice in an object", at: start) }
            skipSpace()
            guard take(":") else { throw fault("a colon is expected") }
            members.append(JSONNode.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
            if take("}") { return members }
            guard take(",") else { throw fault("a comma or } is expected") }
        }
    }

    private mutating func number() throws(Fault) -> String {
        let start = offset
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(Fault) {
        let start = offset
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw fault("a digit is expected") }
    }

    private mutating func string() throws(Fault) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw fault("a string is no UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw fault("a control character must be escaped", at: offset - 1)
            default: text.append(byte)
            }
        }
        throw fault("a string does not end", at: start)
    }

    private mutating func escape(into text: inout [UInt8]) throws(Fault) {
        guard let byte = current else { throw fault("a string does not end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit())
            if (0xD800..<0xDC00).contains(code) {
                guard take("\\"), take("u") else { throw fault("a surrogate is alone") }
                let low = UInt32(try codeUnit())
                guard (0xDC00..<0xE000).contains(low) else { throw fault("a surrogate is alone") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("a surrogate is alone") }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw fault("there is no such escape", at: offset - 1)
        }
    }

    private mutating func codeUnit() throws(Fault) -> UInt16 {
        guard offset + 4 <= bytes.count else { throw fault("four hexadecimal digits are expected") }
        var unit: UInt16 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = Hex.value(of: byte) else { throw fault("four hexadecimal digits are expected") }
            unit = unit << 4 | UInt16(digit)
        }
        offset += 4
        return unit
    }

    /// A JSON text without the white space outside of its strings; `text` is valid.
    static func compact(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isString = false
        var isEscape = false
        for byte in text {
            if !isString, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { continue }
            result.append(byte)
            if isEscape {
                isEscape = false
            } else if byte == UInt8(ascii: "\\") {
                isEscape = true
            } else if byte == UInt8(ascii: "\"") {
                isString.toggle()
            }
        }
        return result
    }
}
