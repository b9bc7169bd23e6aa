/// Base64 with the URL alphabet and without padding (RFC 4648, section 5).
package enum Base64URL {
    private static let alphabet = Base64Alphabet(lastDigits: "-_")

    /// Returns the digits of `bytes`, without padding.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        alphabet.append(bytes, to: &text)
        return text
    }

    /// Returns the bytes that `text` encodes; nil if it has padding, white space, another character, a length that no
    /// bytes give, or bits that no byte uses (RFC 4648, sections 3.2, 3.3 and 3.5). So each byte string has one text.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count = 0
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Base64Alphabet(lastDigits: "+/")

    /// Appends the digits of `bytes`, with padding.
    package static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        alphabet.append(bytes, to: &text)
        text += repeatElement(UInt8(ascii: "="), count: (3 - bytes.count % 3) % 3)
    }
}

/// The 64 digits of a form of base64: letters, decimal digits, and two more.
struct Base64Alphabet: Sendable {
    private let digits: [UInt8]

    init(lastDigits: String) {
        digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastDigits).utf8)
    }

    /// Appends the digits of `bytes`, without padding.
    func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0...group.count { text.append(digits[Int(bits >> UInt32(18 - 6 * digit)) & 0x3F]) }
        }
    }
}
