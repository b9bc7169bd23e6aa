import Glibc

/// Small parsers for the bytes of a request.
extension UnsafeRawBufferPointer {
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

/// Comparisons with the bytes of a request.
extension UnsafeRawBufferPointer {
    @inline(__always)
    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }

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
}

/// Returns the bits in which one word of two texts differs.
@inline(__always)
private func differs<Word: FixedWidthInteger>(
    _ one: UnsafeRawPointer, from other: UnsafeRawPointer, as word: Word.Type, at offset: Int
) -> Word {
    one.loadUnaligned(fromByteOffset: offset, as: word) ^ other.loadUnaligned(fromByteOffset: offset, as: word)
}
