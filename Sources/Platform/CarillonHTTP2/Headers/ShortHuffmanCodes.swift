/// Decodes Huffman codes of up to 8 bits (RFC 7541, appendix B): letters, digits and the other characters of paths and
/// tokens.
package struct ShortHuffmanCodes: Sendable {
    /// The symbols that the next twelve bits begin with: two if both codes fit, else one; 0 if the first code is
    /// longer.
    ///
    /// One word, read at once. From the lowest bit: the number of bits of all codes (6 bits), the number of symbols
    /// (2), both symbols (8 each), the number of bits of the first code (8). The number of all bits comes first because
    /// a shift looks at the lowest six bits only, so the entry itself is the distance of the shift.
    private struct Entry {
        var word: UInt32 = 0

        init() {}

        init(_ symbols: (UInt8, UInt8), bits: (first: UInt8, all: UInt8), count: UInt8) {
            word = UInt32(bits.all) | UInt32(count) << 6 | UInt32(symbols.0) << 8 | UInt32(symbols.1) << 16
            word |= UInt32(bits.first) << 24
        }

        var symbols: UInt16 { UInt16(truncatingIfNeeded: word >> 8) }
        var bits: Int { Int(word & 63) }
        var count: Int { Int(word >> 6 & 3) }
        var firstBits: Int { Int(word >> 24) }

        /// Returns `text` without the codes; the shift uses only the lowest six bits.
        func drop(from text: UInt64) -> UInt64 { text &<< UInt64(word) }
    }

    /// The table of all short codes.
    package static let all = ShortHuffmanCodes()

    // Safety: filled in `init`, which runs once, and never changed or freed after.
    nonisolated(unsafe) private let entries: UnsafePointer<Entry>

    private static let width = 12

    private init() {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 1 << Self.width)
        entries.initialize(repeating: Entry(), count: 1 << Self.width)
        for index in 0..<1 << Self.width {
            guard let first = Self.symbol(UInt32(index) << 20) else { continue }
            entries[index] = Entry((first.byte, 0), bits: (first.bits, first.bits), count: 1)
            guard let second = Self.symbol(UInt32(index) << (20 + UInt32(first.bits))),
                Int(first.bits + second.bits) <= Self.width
            else { continue }
            entries[index] = Entry(
                (first.byte, second.byte),
                bits: (first.bits, first.bits + second.bits),
                count: 2
            )
        }
        self.entries = UnsafePointer(entries)
    }

    /// Returns the symbol whose code a word begins with; nil if the code is longer. Codes of one length are
    /// consecutive, in the order of the symbols.
    private static func symbol(_ word: UInt32) -> (byte: UInt8, bits: UInt8)? {
        let byLength: [(bits: UInt8, symbols: StaticString)] = [
            (5, "012aceiost"), (6, " %-./3456789=A_bdfghlmnpru"), (7, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"),
            (8, "&*,;XZ"),
        ]
        var code = 0
        for (bits, symbols) in byLength {
            let index = Int(word >> (32 - UInt32(bits))) - code
            if index < symbols.utf8CodeUnitCount { return (symbols.utf8Start[index], bits) }
            code = (code + symbols.utf8CodeUnitCount) * 2
        }
        return nil
    }

    /// Decodes a string into `target`, which has room for twice its length and 8 bytes. Returns the text's length; nil
    /// if the string has a longer code or an invalid end.
    ///
    /// Texts are short, so a mispredicted branch costs more than the codes themselves. So four entries are read before
    /// the check whether one of them is empty.
    package func decode(_ coded: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        guard let source = coded.baseAddress, let text = target.baseAddress, target.count >= 2 * coded.count + 8 else {
            return nil
        }
        var length = 0
        var position = 0
        while position >> 3 + 8 <= coded.count {
            var word = UInt64(bigEndian: source.loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self))
            word <<= UInt64(truncatingIfNeeded: position & 7)
            var last = Entry()
            for _ in 0..<4 {
                last = entries[Int(truncatingIfNeeded: word >> 52)]
                text.storeBytes(of: last.symbols.littleEndian, toByteOffset: length, as: UInt16.self)
                length &+= last.count
                position &+= last.bits
                word = last.drop(from: word)
            }
            // An empty entry takes no bits, so the entries after it are empty too.
            if last.count == 0 { return nil }
        }
        return decodeEnd(coded, from: position, into: text, after: length)
    }

    /// Decodes the last 7 bytes or fewer.
    private func decodeEnd(
        _ coded: UnsafeRawBufferPointer,
        from position: Int,
        into text: UnsafeMutableRawPointer,
        after decoded: Int
    ) -> Int? {
        var length = decoded
        var word: UInt64 = 0
        for byte in coded[(position >> 3)...] { word = word << 8 | UInt64(byte) }
        var left = coded.count * 8 - position
        guard left > 0 else { return length }
        word <<= UInt64(64 - left)
        while left >= Self.width {
            let entry = entries[Int(truncatingIfNeeded: word >> 52)]
            guard entry.count > 0 else { return nil }
            text.storeBytes(of: entry.symbols.littleEndian, toByteOffset: length, as: UInt16.self)
            length &+= entry.count
            left &-= entry.bits
            word = entry.drop(from: word)
        }
        while left > 0 {
            let entry = entries[Int(truncatingIfNeeded: word >> 52)]
            guard entry.count > 0, entry.firstBits <= left else { break }
            text.storeBytes(of: UInt8(truncatingIfNeeded: entry.symbols), toByteOffset: length, as: UInt8.self)
            length += 1
            left -= entry.firstBits
            word <<= UInt64(entry.firstBits)
        }
        // The padding fills the last byte: fewer than eight bits, all ones.
        let isEnd = left == 0 || left < 8 && word >> UInt64(64 - left) == 1 << UInt64(left) - 1
        return isEnd ? length : nil
    }
}
