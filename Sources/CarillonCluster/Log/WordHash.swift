package import CarillonCore

/// A 128-bit hash of words that come one after the other: MurmurHash3 in its form for 64-bit machines.
///
/// It finds damage and mistakes. It is no cryptographic hash, and not the protection against an engine that lies.
package struct WordHash: Sendable {
    private var first: UInt64
    private var second: UInt64
    /// The first word of a pair that is not complete.
    private var half: UInt64?
    private var byteCount: UInt64 = 0

    /// Begins a hash that continues from another.
    package init(seed: UUIDBytes = .zero) { (first, second) = (seed.high, seed.low) }

    /// Adds eight bytes. Sums and products wrap by definition.
    package mutating func add(_ word: UInt64) {
        byteCount &+= 8
        guard let before = half else { return half = word }
        half = nil
        first ^= Self.scrambleFirst(before)
        first = (Self.rotate(first, by: 27) &+ second) &* 5 &+ 0x52DC_E729
        second ^= Self.scrambleSecond(word)
        second = (Self.rotate(second, by: 31) &+ first) &* 5 &+ 0x3849_5AB5
    }

    /// Adds bytes, as words with the least significant byte first; the last is filled up with zeros, and the count
    /// follows, so that other bytes after each other are another hash.
    package mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset + 8 <= raw.count {
                add(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += 8
            }
            if offset < raw.count { add(raw[offset...].reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
        }
        add(UInt64(bytes.count))
    }

    /// The hash of what was added.
    package var value: UUIDBytes {
        var (first, second) = (first, second)
        if let half { first ^= Self.scrambleFirst(half) }
        first ^= byteCount
        second ^= byteCount
        first &+= second
        second &+= first
        first = Self.finish(first)
        second = Self.finish(second)
        first &+= second
        second &+= first
        return UUIDBytes(high: first, low: second)
    }

    /// The hash of bytes.
    package static func of(_ bytes: ArraySlice<UInt8>) -> UUIDBytes {
        var hash = WordHash()
        hash.add(bytes)
        return hash.value
    }

    private static func scrambleFirst(_ word: UInt64) -> UInt64 {
        rotate(word &* 0x87C3_7B91_1142_53D5, by: 31) &* 0x4CF5_AD43_2745_937F
    }

    private static func scrambleSecond(_ word: UInt64) -> UInt64 {
        rotate(word &* 0x4CF5_AD43_2745_937F, by: 33) &* 0x87C3_7B91_1142_53D5
    }

    private static func rotate(_ word: UInt64, by bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }

    private static func finish(_ word: UInt64) -> UInt64 {
        var word = word
        word ^= word >> 33
        word &*= 0xFF51_AFD7_ED55_8CCD
        word ^= word >> 33
        word &*= 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33
    }
}
