/// Encodes and decodes hexadecimal digits.
public enum Hex {
    /// Returns the value of one digit of either case; nil for another byte.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the bytes that `text` encodes; nil if it is not an even number of hexadecimal digits.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}

extension Hex {
    /// Returns `bytes` as lower-case digits.
    public static func string(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            let pair = UInt16(truncatingIfNeeded: digits(of: UInt32(byte)))
            text.append(UInt8(truncatingIfNeeded: pair >> 8))
            text.append(UInt8(truncatingIfNeeded: pair))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Writes two lower-case digits for each byte into `text`, which has room for them; four bytes at a time.
    @inlinable
    public static func write(_ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableRawPointer) {
        let whole = bytes.count & ~3
        let source = UnsafeRawBufferPointer(bytes)
        for index in stride(from: 0, to: whole, by: 4) {
            let word = UInt32(bigEndian: source.loadUnaligned(fromByteOffset: index, as: UInt32.self))
            text.storeBytes(of: digits(of: word).bigEndian, toByteOffset: 2 * index, as: UInt64.self)
        }
        for index in whole..<bytes.count {
            let pair = UInt16(truncatingIfNeeded: digits(of: UInt32(bytes[index])))
            text.storeBytes(of: pair.bigEndian, toByteOffset: 2 * index, as: UInt16.self)
        }
    }

    /// Returns the eight digits of a word, the first in the highest byte.
    @inlinable @inline(__always)
    public static func digits(of word: UInt32) -> UInt64 {
        // A nibble to each byte.
        var spread = UInt64(word)
        spread = (spread << 16 | spread) & 0x0000_FFFF_0000_FFFF
        spread = (spread << 8 | spread) & 0x00FF_00FF_00FF_00FF
        spread = (spread << 4 | spread) & 0x0F0F_0F0F_0F0F_0F0F
        // One in each byte whose nibble is a letter; no byte carries into the next.
        let letters = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread + 0x3030_3030_3030_3030 + letters * UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    }
}
