/// A scanner that checks that bytes are one JSON object (RFC 8259), without building a value.
///
/// It is not the server's `JSONObjectParser`, whose faults would pass unseen if the simulator had them too.
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    private static let maximumDepth = 64

    static func isObject(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var scanner = JSONScanner(bytes: bytes)
        scanner.skipSpace()
        guard scanner.next == UInt8(ascii: "{"), scanner.scanValue(depth: 0) else { return false }
        scanner.skipSpace()
        return scanner.index == bytes.count
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0a, 0x0d, 0x09: index += 1
            default: return
            }
        }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    // The functions below skip what they name, and return false if it is not there.

    private mutating func scanValue(depth: Int) -> Bool {
        guard depth < JSONScanner.maximumDepth else { return false }
        switch next {
        case UInt8(ascii: "{"): return scanList(closing: UInt8(ascii: "}"), hasNames: true, depth: depth)
        case UInt8(ascii: "["): return scanList(closing: UInt8(ascii: "]"), hasNames: false, depth: depth)
        case UInt8(ascii: "\""): return scanString()
        case UInt8(ascii: "t"): return scanWord("true")
        case UInt8(ascii: "f"): return scanWord("false")
        case UInt8(ascii: "n"): return scanWord("null")
        default: return scanNumber()
        }
    }

    private mutating func scanList(closing: UInt8, hasNames: Bool, depth: Int) -> Bool {
        index += 1
        skipSpace()
        if skip(closing) { return true }
        while true {
            if hasNames {
                guard scanString() else { return false }
                skipSpace()
                guard skip(UInt8(ascii: ":")) else { return false }
                skipSpace()
            }
            guard scanValue(depth: depth + 1) else { return false }
            skipSpace()
            if skip(closing) { return true }
            guard skip(UInt8(ascii: ",")) else { return false }
            skipSpace()
        }
    }

    private mutating func scanString() -> Bool {
        guard skip(UInt8(ascii: "\"")) else { return false }
        while true {
            skipPlain()
            guard let byte = next, byte >= 0x20 else { return false }
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            if !scanEscape() { return false }
        }
    }

    /// Skips to the next quotation mark, backslash or control character, eight bytes at a time.
    private mutating func skipPlain() {
        while index + 8 <= bytes.count {
            let special = specialBytes(of: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            if special != 0 {
                index += special.trailingZeroBitCount / 8
                return
            }
            index += 8
        }
        while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\")
        {
            index += 1
        }
    }

    /// Marks the bytes of a little-endian word that end plain text. The lowest mark is correct. Marks above it may be
    /// wrong.
    private func specialBytes(of word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ ones * UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones * UInt64(UInt8(ascii: "\\"))
        // Wrapping: a borrow marks a byte below the subtrahend.
        let found = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones * 0x20) & ~word
        return found & ones << 7
    }

    private mutating func scanEscape() -> Bool {
        guard let kind = next else { return false }
        index += 1
        switch kind {
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = next, Character(Unicode.Scalar(digit)).isHexDigit else { return false }
                index += 1
            }
            return true
        default: return #""\/bfnrt"#.utf8.contains(kind)
        }
    }

    private mutating func scanWord(_ word: StaticString) -> Bool {
        guard bytes.dropFirst(bytes: index).starts(with: word) else { return false }
        index += word.utf8CodeUnitCount
        return true
    }

    private mutating func scanDigits() -> Bool {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index > start
    }

    private mutating func scanNumber() -> Bool {
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")), !scanDigits() { return false }
        if skip(UInt8(ascii: ".")), !scanDigits() { return false }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            return scanDigits()
        }
        return true
    }
}
