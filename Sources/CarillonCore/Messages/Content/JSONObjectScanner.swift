/// A strict parser of payloads: one object, no duplicate names, no lone surrogates, bounded depth.
///
/// Foundation's parser silently takes the last of two equal names, so it cannot check what APNs will receive.
/// The memory is proportional to the payload, whose size the caller limits.
package struct JSONObjectScanner {
    private let bytes: [UInt8]
    private var offset = 0

    /// Parses `payload`, which must be one object.
    package static func scan(_ payload: [UInt8]) throws(JSONFault) -> [String: JSONValue] {
        guard String(validating: payload, as: UTF8.self) != nil else { throw .encoding }
        var scanner = JSONObjectScanner(bytes: payload)
        scanner.skipSpace()
        guard scanner.peek == UInt8(ascii: "{") else {
            _ = try scanner.value(depth: 1)
            throw .notAnObject
        }
        let object = try scanner.object(depth: 1)
        scanner.skipSpace()
        guard scanner.offset == payload.count else { throw .syntax(offset: scanner.offset) }
        return object
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(JSONFault) {
        guard peek == byte else { throw .syntax(offset: offset) }
        offset += 1
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONFault) -> [String: JSONValue] {
        guard depth <= JSONValue.maximumDepth else { throw .tooDeep(offset: offset) }
        try expect(UInt8(ascii: "{"))
        var members: [String: JSONValue] = [:]
        // Swift treats two spellings of one character as equal, JSON does not (RFC 8259 section 8.3): from the first
        // name on that is not ASCII, names are compared by their bytes.
        var spellings: Set<[UInt8]>?
        skipSpace()
        if peek == UInt8(ascii: "}") {
            offset += 1
            return members
        }
        while true {
            skipSpace()
            let start = offset
            let name = try string()
            skipSpace()
            try expect(UInt8(ascii: ":"))
            let value = try value(depth: depth + 1)
            if spellings == nil, !name.utf8.allSatisfy({ $0 < 0x80 }) {
                spellings = Set(members.keys.map { Array($0.utf8) })
            }
            let isNew = spellings?.insert(Array(name.utf8)).inserted
            let isKnown = members.updateValue(value, forKey: name) != nil
            guard isNew ?? !isKnown else { throw .duplicateName(offset: start) }
            skipSpace()
            if peek == UInt8(ascii: ",") {
                offset += 1
                continue
            }
            try expect(UInt8(ascii: "}"))
            return members
        }
    }

    private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
        guard depth <= JSONValue.maximumDepth else { throw .tooDeep(offset: offset) }
        try expect(UInt8(ascii: "["))
        skipSpace()
        if peek == UInt8(ascii: "]") {
            offset += 1
            return .array([])
        }
        var items: [JSONValue] = []
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            if peek == UInt8(ascii: ",") {
                offset += 1
                continue
            }
            try expect(UInt8(ascii: "]"))
            return .array(items)
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        let start = offset
        for index in 0..<word.utf8CodeUnitCount {
            guard peek == word.utf8Start[index] else { throw .syntax(offset: start) }
            offset += 1
        }
        return value
    }

    private mutating func string() throws(JSONFault) -> String {
        try expect(UInt8(ascii: "\""))
        let start = offset
        while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
        if peek == UInt8(ascii: "\"") {
            offset += 1
            return String(decoding: bytes[start..<offset - 1], as: UTF8.self)
        }
        var text = Array(bytes[start..<offset])
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                offset += 1
                try escape(into: &text)
            case 0..<0x20:
                throw .syntax(offset: offset)
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw .syntax(offset: offset)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        guard let byte = peek else { throw .syntax(offset: offset) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try unicodeEscape()).utf8)
        default: throw .syntax(offset: offset - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONFault) -> Character {
        let start = offset
        let first = try fourDigits()
        var scalar = UInt32(first)
        if (0xD800...0xDBFF).contains(first) {
            guard peek == UInt8(ascii: "\\") else { throw .loneSurrogate(offset: start) }
            offset += 1
            guard peek == UInt8(ascii: "u") else { throw .loneSurrogate(offset: start) }
            offset += 1
            let second = try fourDigits()
            guard (0xDC00...0xDFFF).contains(second) else { throw .loneSurrogate(offset: start) }
            scalar = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let value = Unicode.Scalar(scalar) else { throw .loneSurrogate(offset: start) }
        return Character(value)
    }

    private mutating func fourDigits() throws(JSONFault) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hex.value(of: byte) else { throw .syntax(offset: offset) }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = offset
        if peek == UInt8(ascii: "-") { offset += 1 }
        if peek == UInt8(ascii: "0") {
            offset += 1
        } else {
            try digits()
        }
        if peek == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            offset += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if let whole = Int64(text) { return .integer(whole) }
        // The grammar has no limit, but parsers on devices reject a number beyond Double, and with it the whole push.
        guard let value = Double(text), value.isFinite else { throw .syntax(offset: start) }
        return .number(value)
    }

    private mutating func digits() throws(JSONFault) {
        let start = offset
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw .syntax(offset: start) }
    }
}
