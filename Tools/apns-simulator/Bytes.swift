import Glibc

extension UnsafeRawBufferPointer {
    /// Whether the bytes are those of `text`.
    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

    /// Whether the bytes are those of `other`.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let mine = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(mine, others, count) == 0
    }

    func starts(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        guard let mine = baseAddress else { return true }
        return memcmp(mine, text.utf8Start, text.utf8CodeUnitCount) == 0
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
        guard count == 36 else { return false }
        for index in 0..<36 {
            let byte = self[index]
            let isDash = index == 8 || index == 13 || index == 18 || index == 23
            guard isDash ? byte == UInt8(ascii: "-") : lowerHexDigits[Int(byte)] < 16 else { return false }
        }
        return true
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}

/// The value of each byte as a hexadecimal digit, 255 if it is none; letters in lower case only.
private let lowerHexDigits: [UInt8] = (0...255).map { (byte: UInt8) in
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: 255
    }
}

/// The same for letters in either case.
private let hexDigits: [UInt8] = (0...255).map { (byte: UInt8) in
    (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) ? byte - UInt8(ascii: "A") + 10 : lowerHexDigits[Int(byte)]
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
        let isValid = hexDigits.withUnsafeBufferPointer { digits in
            if count <= 32 {
                return withUnsafeMutableBytes(of: &words) { DeviceToken.decode(hex, digits, into: $0) }
            }
            return withUnsafeTemporaryAllocation(byteCount: DeviceToken.maxCount, alignment: 8) { room in
                guard DeviceToken.decode(hex, digits, into: room) else { return false }
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

    private static func decode(
        _ hex: UnsafeRawBufferPointer,
        _ digits: UnsafeBufferPointer<UInt8>,
        into room: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var bad: UInt8 = 0
        for index in 0..<hex.count / 2 {
            let high = digits[Int(hex[2 * index])]
            let low = digits[Int(hex[2 * index + 1])]
            bad |= (high | low) & 0xf0
            room[index] = high << 4 | low
        }
        return bad == 0
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
            bytes[..<shown].flatMap { [hexText[Int($0 >> 4)], hexText[Int($0 & 15)]] }
        }
        return String(decoding: hex, as: UTF8.self) + (shown < count ? "..." : "")
    }
}

let hexText = Array("0123456789abcdef".utf8)

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
