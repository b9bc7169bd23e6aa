import Glibc

/// The comparisons and small parsers for bytes of a request.
extension UnsafeRawBufferPointer {
    /// Returns true if the bytes are equal to `text`.
    @inline(__always)
    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

    /// Returns true if the bytes are equal to `other`.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let mine = baseAddress, let others = other.baseAddress else { return true }
        return memcmp(mine, others, count) == 0
    }

    /// Returns true if the bytes begin with `text`. Compares by words: the texts are a few bytes long, and a call of
    /// memcmp would cost more.
    @inline(__always)
    func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length else { return false }
        guard let mine = baseAddress else { return true }
        let other = UnsafeRawPointer(text.utf8Start)
        guard length >= 4 else { return memcmp(mine, other, length) == 0 }
        // If the length is not a multiple of eight, the last word overlaps the one before.
        if length < 8 {
            return differs(mine, from: other, as: UInt32.self, at: 0)
                | differs(mine, from: other, as: UInt32.self, at: length - 4) == 0
        }
        var difference = differs(mine, from: other, as: UInt64.self, at: length - 8)
        var at = 0
        while at + 8 < length {
            difference |= differs(mine, from: other, as: UInt64.self, at: at)
            at += 8
        }
        return difference == 0
    }

    /// Returns the bytes after a prefix; nil if they do not begin with it.
    @inline(__always)
    func removing(prefix: StaticString) -> UnsafeRawBufferPointer? {
        starts(with: prefix) ? dropFirst(bytes: prefix.utf8CodeUnitCount) : nil
    }

    func dropFirst(bytes number: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(number, count)...])
    }

    /// The decimal number that the bytes are; nil if they are not a number of at most 18 digits.
    var decimal: Int64? {
        guard (1...18).contains(count) else { return nil }
        var number: Int64 = 0
        for byte in self {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// True if the bytes are a UUID in lower case and in its canonical form 8-4-4-4-12.
    var isCanonicalUUID: Bool {
        guard count == 36, let bytes = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        let dash = UInt8(ascii: "-")
        guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return false }
        // Without branches and checks, so that the compiler can vectorise it; the sum is at most 36.
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

/// Returns the bits in which one word of two texts differs.
@inline(__always)
private func differs<Word: FixedWidthInteger>(
    _ one: UnsafeRawPointer, from other: UnsafeRawPointer, as word: Word.Type, at offset: Int
) -> Word {
    one.loadUnaligned(fromByteOffset: offset, as: word) ^ other.loadUnaligned(fromByteOffset: offset, as: word)
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
