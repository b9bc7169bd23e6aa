/// A reader of the tokens of a JSON text (RFC 8259). `JSONObjectParser` and `LocatedJSONParser` make values of them,
/// and limit the nesting.
///
/// Bytes of a peer never trap.
struct JSONReader {
    /// The first token of a value: the whole value, or the bracket with which it begins.
    enum Token {
        /// The opening bracket of an object or array, which has been taken.
        case object, array
        case string(String)
        /// A number, as its digits stand in the text.
        case number(String)
        case bool(Bool)
        case null
    }

    private let bytes: [UInt8]
    /// True if all of the text is UTF-8.
    let isUTF8: Bool
    /// The offset of the next byte.
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isUTF8 = String(validating: bytes, as: UTF8.self) != nil
    }

    /// Makes an error at the next byte. `start` is the beginning of the token that breaks off there.
    private func error(_ text: String, from start: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(text, at: start ?? offset, kind: .syntax(offset: offset))
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func skipSpace() {
        while let byte = current, Self.isSpace(byte) { offset += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    // MARK: Structure

    /// Takes the first token of a value.
    mutating func takeToken() throws(JSONSyntaxError) -> Token {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"):
            offset += 1
            return .object
        case UInt8(ascii: "["):
            offset += 1
            return .array
        case UInt8(ascii: "\""): return .string(try takeString())
        case UInt8(ascii: "t"): return try takeWord("true", as: .bool(true))
        case UInt8(ascii: "f"): return try takeWord("false", as: .bool(false))
        case UInt8(ascii: "n"): return try takeWord("null", as: .null)
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try takeNumber())
        case nil: throw error("the text ends where a value is expected")
        default: throw error("a value is expected")
        }
    }

    /// Takes the end of the text.
    mutating func takeEnd() throws(JSONSyntaxError) {
        skipSpace()
        guard offset == bytes.count else { throw error("something follows the value") }
    }

    /// Takes the bracket after the opening one, and returns true, if the object or array is empty.
    mutating func takeEmpty(_ close: Unicode.Scalar) -> Bool {
        skipSpace()
        return take(close)
    }

    mutating func takeName() throws(JSONSyntaxError) -> String {
        guard current == UInt8(ascii: "\"") else { throw error("a name is expected") }
        return try takeString()
    }

    mutating func takeColon() throws(JSONSyntaxError) {
        skipSpace()
        guard take(":") else { throw error("a colon is expected") }
    }

    /// Takes the comma or the closing bracket after an item. Returns true after a comma, and false after the bracket.
    mutating func takeComma(orEnd close: Unicode.Scalar) throws(JSONSyntaxError) -> Bool {
        skipSpace()
        if take(",") { return true }
        guard take(close) else { throw error("a comma or \(close) is expected") }
        return false
    }

    // MARK: Tokens

    private mutating func takeWord(_ word: StaticString, as token: Token) throws(JSONSyntaxError) -> Token {
        let end = offset + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { end <= bytes.count && bytes[offset..<end].elementsEqual($0) }
        guard matches else { throw error("a value is expected") }
        offset = end
        return token
    }

    private mutating func takeNumber() throws(JSONSyntaxError) -> String {
        let start = offset
        _ = take("-")
        if !take("0") { try takeDigits() }
        if take(".") { try takeDigits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try takeDigits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func takeDigits() throws(JSONSyntaxError) {
        let start = offset
        while let byte = current, byte.isASCIIDigit { offset += 1 }
        guard offset > start else { throw error("a digit is expected") }
    }

    private mutating func takeString() throws(JSONSyntaxError) -> String {
        let quote = offset
        offset += 1
        let start = offset
        while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
        // Most strings have no escape: their bytes are decoded where they are.
        if take("\"") { return try text(bytes[start..<offset - 1], from: quote) }
        var unescaped = Array(bytes[start..<offset])
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return try text(unescaped[...], from: quote)
            case UInt8(ascii: "\\"):
                offset += 1
                try takeEscape(into: &unescaped)
            case 0..<0x20: throw error("a control character must be escaped")
            default:
                unescaped.append(byte)
                offset += 1
            }
        }
        throw error("a string does not end", from: quote)
    }

    private func text(_ bytes: ArraySlice<UInt8>, from quote: Int) throws(JSONSyntaxError) -> String {
        guard isUTF8 || String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONSyntaxError("a string is not UTF-8", at: quote, kind: .encoding)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func takeEscape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[offset])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            offset += 1
            text.append(contentsOf: String(Character(try takeScalar())).utf8)
            return
        case nil: throw error("a string does not end")
        default: throw error("there is no such escape")
        }
        offset += 1
    }

    /// Takes the digits of one escape, or of the two of a surrogate pair.
    private mutating func takeScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = offset
        var scalar = UInt32(try takeCodeUnit())
        if (0xD800..<0xDC00).contains(scalar) {
            guard take("\\"), take("u") else { throw loneSurrogate(start) }
            let low = UInt32(try takeCodeUnit())
            guard (0xDC00..<0xE000).contains(low) else { throw loneSurrogate(start) }
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let value = Unicode.Scalar(scalar) else { throw loneSurrogate(start) }
        return value
    }

    private func loneSurrogate(_ start: Int) -> JSONSyntaxError {
        JSONSyntaxError("a surrogate is alone", at: offset, kind: .loneSurrogate(offset: start))
    }

    private mutating func takeCodeUnit() throws(JSONSyntaxError) -> UInt16 {
        let start = offset
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap(Hex.value) else {
                throw error("four hexadecimal digits are expected", from: start)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}

/// A name of a member, compared by its bytes: Swift treats two spellings of one character as equal, JSON does not
/// (RFC 8259 section 8.3).
struct JSONName: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (one: JSONName, other: JSONName) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
