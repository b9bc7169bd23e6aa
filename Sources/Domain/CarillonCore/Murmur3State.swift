/// The state of a MurmurHash3 in its form for 64-bit machines. It takes pairs of words.
///
/// The hashes that use it differ in how they make words, and in the count that they add at the end. It finds damage and
/// mistakes, and is not a cryptographic hash. Sums and products wrap by definition.
package struct Murmur3State: Sendable {
    @usableFromInline var first: UInt64
    @usableFromInline var second: UInt64

    /// Makes the state of a hash with a seed.
    @inlinable
    package init(first: UInt64 = 0, second: UInt64 = 0) {
        self.first = first
        self.second = second
    }

    @inlinable
    package mutating func add(_ one: UInt64, _ other: UInt64) {
        first ^= Self.scrambleFirst(one)
        first = (Self.rotate(first, by: 27) &+ second) &* 5 &+ 0x52DC_E729
        second ^= Self.scrambleSecond(other)
        second = (Self.rotate(second, by: 31) &+ first) &* 5 &+ 0x3849_5AB5
    }

    /// Adds the last words, which are no whole pair. A word of 0 adds nothing.
    @inlinable
    package mutating func addLast(_ one: UInt64, _ other: UInt64 = 0) {
        first ^= Self.scrambleFirst(one)
        second ^= Self.scrambleSecond(other)
    }

    /// Returns the hash of the words that were added.
    @inlinable
    package func value(byteCount: UInt64) -> UUIDBytes {
        var first = first ^ byteCount
        var second = second ^ byteCount
        first &+= second
        second &+= first
        first = Self.finish(first)
        second = Self.finish(second)
        first &+= second
        second &+= first
        return UUIDBytes(high: first, low: second)
    }

    @inlinable
    static func scrambleFirst(_ word: UInt64) -> UInt64 {
        rotate(word &* 0x87C3_7B91_1142_53D5, by: 31) &* 0x4CF5_AD43_2745_937F
    }

    @inlinable
    static func scrambleSecond(_ word: UInt64) -> UInt64 {
        rotate(word &* 0x4CF5_AD43_2745_937F, by: 33) &* 0x87C3_7B91_1142_53D5
    }

    @inlinable
    static func rotate(_ word: UInt64, by bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }

    @inlinable
    static func finish(_ word: UInt64) -> UInt64 {
        var word = word
        word ^= word >> 33
        word &*= 0xFF51_AFD7_ED55_8CCD
        word ^= word >> 33
        word &*= 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33
    }
}
