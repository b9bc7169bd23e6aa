import Glibc

extension UnsafeRawBufferPointer {
    /// Whether the bytes are those of `text`.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

    /// Whether the bytes are those of `other`.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let mine = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(mine, others, count) == 0
    }

    /// Compares by words: the texts are a few bytes long, and a call of memcmp costs more than they do.
    @inline(__always)
    func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length else { return false }
        guard let mine = baseAddress else { return true }
        let other = UnsafeRawPointer(text.utf8Start)
        guard length >= 4 else { return memcmp(mine, other, length) == 0 }
        // The last word of a length that is no multiple overlaps the one before.
        if length < 8 {
            return differs(UInt32.self, mine, other, at: 0) | differs(UInt32.self, mine, other, at: length - 4) == 0
        }
        var difference = differs(UInt64.self, mine, other, at: length - 8)
        var at = 0
        while at + 8 < length {
            difference |= differs(UInt64.self, mine, other, at: at)
            at += 8
        }
        return difference == 0
    }

    func dropFirst(bytes number: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(number, count)...])
    }

    /// The decimal number that the bytes consist of, of at most 18 digits.
    var decimal: Int64? {
        guard (1...18).contains(count) else { return nil }
        var number: Int64 = 0
        for byte in self {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// Whether the bytes are a UUID in lower case and in its canonical form 8-4-4-4-12.
    var isCanonicalUUID: Bool {
        guard count == 36, let bytes = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let dash = UInt8(ascii: "-")
        guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return false }
        // Without branches and checks, so that the compiler can take many bytes at a time; the sum is at most 36.
        var digits: UInt8 = 0
        for index in 0..<36 {
            let isDigit: UInt8 = bytes[index] &- UInt8(ascii: "0") < 10 ? 1 : 0
            let isLetter: UInt8 = bytes[index] &- UInt8(ascii: "a") < 6 ? 1 : 0
            digits &+= isDigit | isLetter
        }
        return digits == 32
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}

/// The bits in which one word of two texts differs.
@inline(__always)
private func differs<Word: FixedWidthInteger>(
    _ word: Word.Type,
    _ one: UnsafeRawPointer,
    _ other: UnsafeRawPointer,
    at offset: Int
) -> Word {
    one.loadUnaligned(fromByteOffset: offset, as: word) ^ other.loadUnaligned(fromByteOffset: offset, as: word)
}

/// The value of a hexadecimal digit in either case, 255 if it is none.
///
/// Arithmetic and no table: a table that Swift makes at its first use is asked at each use whether it is made.
@inline(__always)
private func hexValue(_ byte: UInt8) -> UInt8 {
    let digit = byte &- UInt8(ascii: "0")
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return digit < 10 ? digit : letter < 6 ? letter &+ 10 : 255
}

/// The digit for a value below 16.
func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// A device token: 1 to 200 bytes, in a fixed place.
struct DeviceToken: Hashable {
    /// Up to 32 bytes as they are; of a longer token the first 16 and a 128-bit hash of all.
    private(set) var words: (UInt64, UInt64, UInt64, UInt64)
    private var length: UInt8
    var count: Int { Int(length) }

    static let maxCount = 200

    /// Reads hexadecimal digits in either case.
    init?(hex: UnsafeRawBufferPointer) {
        guard hex.count.isMultiple(of: 2), (2...DeviceToken.maxCount * 2).contains(hex.count) else { return nil }
        length = UInt8(truncatingIfNeeded: hex.count / 2)
        words = (0, 0, 0, 0)
        let isValid =
            if count <= 32 {
                withUnsafeMutableBytes(of: &words) { DeviceToken.decode(hex, into: $0) }
            } else {
                withUnsafeTemporaryAllocation(byteCount: DeviceToken.maxCount, alignment: 8) { room in
                    guard DeviceToken.decode(hex, into: room) else { return false }
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
        guard let token = Array(hex.utf8).withUnsafeBytes({ DeviceToken(hex: $0) }) else { return nil }
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

    /// The four bytes that eight digits make, and whether one of them was none: then `wrong` is not 0.
    ///
    /// All in one little-endian word, the first digit lowest. No byte of it ever carries into the next.
    private static func eightDigits(_ text: UInt64) -> (bytes: UInt32, wrong: UInt64) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let letters = text >> 6 & ones
        let values = (text & (ones * 0x0f)) + letters * 9
        // Digits are what they say if they can be made again from their values, letters in lower case.
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

    static func == (one: DeviceToken, other: DeviceToken) -> Bool {
        one.words == other.words && one.length == other.length
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hashValue64) }

    /// The token in hexadecimal; of a longer one the beginning and "...".
    var text: String {
        let shown = count <= 32 ? count : 16
        let hex = withUnsafeBytes(of: words) { bytes in
            bytes[..<shown].flatMap { [hexDigit($0 >> 4), hexDigit($0 & 15)] }
        }
        return String(decoding: hex, as: UTF8.self) + (shown < count ? "..." : "")
    }
}

/// Folds the 128-bit product of two words: fast, well spread, and of no use against an adversary.
func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}

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
