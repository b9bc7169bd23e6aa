import CarillonCore

/// Finds and reads the member `private_key` of a key file, without a copy in memory that nothing erases.
enum PrivateKeyMember {
    private static let name = "private_key"
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// Returns the place of the value, between its quotes and with its escapes; nil if the outer object has no such
    /// string. Whether the rest is JSON is for a parser to say.
    static func range(in json: UnsafeRawBufferPointer) -> Range<Int>? {
        var depth = 0
        var offset = 0
        /// The last string, if nothing but a colon and spaces followed it.
        var last: Range<Int>?
        while offset < json.count {
            switch json[offset] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): (depth, last) = (depth + 1, nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): (depth, last) = (depth - 1, nil)
            case UInt8(ascii: ","): last = nil
            case quote:
                guard let end = endOfString(in: json, from: offset + 1) else { return nil }
                let text = offset + 1..<end
                if depth == 1, let last, json[last].elementsEqual(name.utf8) { return text }
                last = text
                offset = end
            default: break
            }
            offset += 1
        }
        return nil
    }

    /// Returns the place of the quote that ends a string; nil if the string has no end.
    private static func endOfString(in json: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var offset = start
        while offset < json.count, json[offset] != quote { offset += json[offset] == backslash ? 2 : 1 }
        return offset < json.count ? offset : nil
    }

    /// Writes a string of JSON with its escapes replaced (RFC 8259, section 7). Returns the number of bytes; nil if the
    /// string has characters that no PEM has, or if the room is too small.
    static func unescape(_ text: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int? {
        var offset = 0
        var count = 0
        while offset < text.count {
            var byte = text[offset]
            offset += 1
            if byte == backslash {
                guard let (value, length) = escape(in: text, at: offset) else { return nil }
                byte = value
                offset += length
            }
            guard byte < 0x80, count < room.count else { return nil }
            room[count] = byte
            count += 1
        }
        return count
    }

    /// Returns the character of an escape, and the number of bytes that follow the backslash; nil if a key has no such
    /// escape.
    private static func escape(in text: UnsafeRawBufferPointer, at offset: Int) -> (value: UInt8, length: Int)? {
        guard offset < text.count else { return nil }
        switch text[offset] {
        case UInt8(ascii: "n"): return (UInt8(ascii: "\n"), 1)
        case UInt8(ascii: "r"): return (UInt8(ascii: "\r"), 1)
        case UInt8(ascii: "t"): return (UInt8(ascii: "\t"), 1)
        case UInt8(ascii: "/"): return (UInt8(ascii: "/"), 1)
        case UInt8(ascii: "u"):
            let digits = text[offset...].dropFirst().prefix(4).compactMap { Hex.value(of: $0) }
            guard digits.count == 4, digits[0] == 0, digits[1] == 0 else { return nil }
            return (digits[2] << 4 | digits[3], 5)
        default: return nil
        }
    }
}
