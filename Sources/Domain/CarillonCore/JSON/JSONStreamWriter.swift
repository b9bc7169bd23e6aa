/// A writer that appends JSON values to bytes.
package struct JSONStreamWriter: Sendable {
    /// The text so far.
    package private(set) var bytes: [UInt8] = []
    /// True if a comma must precede the next value.
    private var needsComma = false

    package init() {}

    private mutating func begin() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Appends the name of a member; its value follows.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func beginObject() {
        begin()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    package mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func beginArray() {
        begin()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    package mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Appends an object whose members `body` appends.
    package mutating func object(_ body: (inout JSONStreamWriter) -> Void) {
        beginObject()
        body(&self)
        endObject()
    }

    /// Appends an array whose items `body` appends.
    package mutating func array(_ body: (inout JSONStreamWriter) -> Void) {
        beginArray()
        body(&self)
        endArray()
    }

    /// Appends a string, with the escapes that are necessary.
    package mutating func string(_ text: String) {
        begin()
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

    package mutating func number(_ number: some BinaryInteger) {
        begin()
        bytes.append(contentsOf: "\(number)".utf8)
    }

    /// Appends a number that is given in tenths.
    package mutating func number(tenths: UInt64) {
        begin()
        bytes.append(contentsOf: "\(tenths / 10)".utf8)
        if !tenths.isMultiple(of: 10) { bytes.append(contentsOf: ".\(tenths % 10)".utf8) }
    }

    package mutating func boolean(_ value: Bool) {
        begin()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func null() {
        begin()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Appends a text that is JSON already.
    package mutating func json(_ text: some Collection<UInt8>) {
        begin()
        bytes.append(contentsOf: text)
    }
}

extension JSONStreamWriter {
    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        string(text)
    }

    package mutating func member(_ name: String, _ number: some BinaryInteger) {
        self.name(name)
        self.number(number)
    }

    package mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        boolean(value)
    }
}

extension JSONValue {
    /// Returns a text as a string of JSON, with its quotes.
    package static func quoted(_ text: String) -> String {
        var output = JSONStreamWriter()
        output.string(text)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}
