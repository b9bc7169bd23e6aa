/// A device token of 1 to 200 bytes, without memory of its own.
struct RawToken: Hashable {
    /// The bytes of a token of up to 32 bytes; for a longer one its first 16 bytes and a 128-bit hash of all.
    private(set) var words: (UInt64, UInt64, UInt64, UInt64)
    private var length: UInt8
    var count: Int { Int(length) }

    static let maximumCount = 200

    /// Reads hexadecimal digits in either case; nil if they are not a token.
    init?(hex: UnsafeRawBufferPointer) {
        guard hex.count.isMultiple(of: 2), (2...RawToken.maximumCount * 2).contains(hex.count) else { return nil }
        length = UInt8(truncatingIfNeeded: hex.count / 2)
        words = (0, 0, 0, 0)
        let isValid =
            if count <= 32 {
                withUnsafeMutableBytes(of: &words) { RawToken.decode(hex, into: $0) }
            } else {
                withUnsafeTemporaryAllocation(byteCount: RawToken.maximumCount, alignment: 8) { room in
                    guard RawToken.decode(hex, into: room) else { return false }
                    let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
                    words = (
                        bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                        hash64(bytes, seed: 0x243f_6a88_85a3_08d3), hash64(bytes, seed: 0x1319_8a2e_0370_7344)
                    )
                    return true
                }
            }
        if !isValid { return nil }
    }

    init?(hex: String) {
        guard let token = Array(hex.utf8).withUnsafeBytes({ RawToken(hex: $0) }) else { return nil }
        self = token
    }

    private static func decode(_ hex: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Bool {
        var bad: UInt64 = 0
        var at = 0
        while at + 8 <= hex.count {
            let (bytes, wrong) = eightDigits(hex.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            room.storeBytes(of: bytes, toByteOffset: at / 2, as: UInt32.self)
            bad |= wrong
            at += 8
        }
        while at < hex.count {
            let high = hexValue(hex[at])
            let low = hexValue(hex[at + 1])
            bad |= UInt64(high | low) & 0xf0
            room[at / 2] = high << 4 | low
            at += 2
        }
        return bad == 0
    }

    /// Decodes eight digits into four bytes. `wrong` is not 0 if one of them is not a digit.
    ///
    /// All digits are in one little-endian word, the first digit lowest. No byte carries into the next.
    private static func eightDigits(_ text: UInt64) -> (bytes: UInt32, wrong: UInt64) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let letters = text >> 6 & ones
        let values = (text & (ones * 0x0f)) + letters * 9
        // The input is valid if encoding the values again gives the same digits, letters in lower case.
        let beyondNine = (values + ones * 6) >> 4 & ones
        let again = (values & (ones * 0x0f)) + ones * 0x30 + beyondNine * 0x27
        let wrong = (text | letters << 5) ^ again
        let pairs = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff
        let quads = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff
        return (UInt32(truncatingIfNeeded: quads | quads >> 16), wrong)
    }

    var hashValue64: UInt64 {
        mix(words.0 ^ UInt64(truncatingIfNeeded: count), words.1 ^ 0x9e37_79b9_7f4a_7c15)
            ^ mix(words.2 ^ 0xd6e8_feb8_6659_fd93, words.3 ^ 0xa076_1d64_78bd_642f)
    }

    static func == (one: RawToken, other: RawToken) -> Bool {
        one.words == other.words && one.length == other.length
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hashValue64) }

    /// The token in hexadecimal; for a token above 32 bytes the beginning and "...".
    var text: String {
        let shown = count <= 32 ? count : 16
        let hex = withUnsafeBytes(of: words) { bytes in
            bytes[..<shown].flatMap { [hexDigit($0 >> 4), hexDigit($0 & 15)] }
        }
        return String(decoding: hex, as: UTF8.self) + (shown < count ? "..." : "")
    }
}

/// Returns the value of a hexadecimal digit in either case; 255 if the byte is not a digit.
///
/// It computes the value without a table, because Swift checks at each use of a lazily made table whether it is made.
@inline(__always)
func hexValue(_ byte: UInt8) -> UInt8 {
    let digit = byte &- UInt8(ascii: "0")
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return digit < 10 ? digit : letter < 6 ? letter &+ 10 : 255
}

/// Returns the hexadecimal digit for a value below 16.
func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// Folds the 128-bit product of two words. The result is fast and well spread, and not secure against an adversary.
func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}

/// Returns a hash of the bytes, which is the same in every run.
func hash64(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    var index = 0
    while index + 8 <= bytes.count {
        hash = mix(
            hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self),
            0x9e37_79b9_7f4a_7c15
        )
        index += 8
    }
    var tail: UInt64 = 0
    while index < bytes.count {
        tail = tail << 8 | UInt64(bytes[index])
        index += 1
    }
    return mix(hash ^ tail, 0xe703_7ed1_a0b4_28db)
}
