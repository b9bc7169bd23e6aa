/// SipHash-2-4 with a result of 128 bits: a keyed hash. Without the key no collision can be constructed.
///
/// J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012; the long result as in their reference
/// code.
struct SipHash {
    /// The two halves of a key or of a result, each read as a little-endian number.
    typealias Halves = (first: UInt64, second: UInt64)

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    @inline(__always)
    static func hash(_ bytes: Span<UInt8>, key: Halves) -> Halves {
        bytes.withUnsafeBytes { bytes in
            var state = SipHash(key)
            let end = bytes.count & ~7
            for offset in stride(from: 0, to: end, by: 8) {
                state.compress(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            var last = UInt64(truncatingIfNeeded: bytes.count) << 56
            for offset in end..<bytes.count { last |= UInt64(bytes[offset]) << UInt64(8 * (offset - end)) }
            state.compress(last)
            return state.finish()
        }
    }

    /// Begins a hash of no bytes.
    @inline(__always)
    init(_ key: Halves) {
        v0 = key.first ^ 0x736F_6D65_7073_6575
        v1 = key.second ^ 0x646F_7261_6E64_6F6D ^ 0xEE
        v2 = key.first ^ 0x6C79_6765_6E65_7261
        v3 = key.second ^ 0x7465_6462_7974_6573
    }

    /// Takes the next eight bytes, little-endian; of the last word the highest byte is the count of all bytes, modulo
    /// 256.
    @inline(__always)
    mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    /// Ends the hash after the last word, and returns it.
    @inline(__always)
    mutating func finish() -> Halves {
        v2 ^= 0xEE
        for _ in 0..<4 { round() }
        let first = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xDD
        for _ in 0..<4 { round() }
        return (first, v0 ^ v1 ^ v2 ^ v3)
    }

    /// Mixes the state once. Sums wrap around by definition.
    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v2 &+= v3
        v1 = Self.rotate(v1, 13) ^ v0
        v3 = Self.rotate(v3, 16) ^ v2
        v0 = Self.rotate(v0, 32)
        v2 &+= v1
        v0 &+= v3
        v1 = Self.rotate(v1, 17) ^ v2
        v3 = Self.rotate(v3, 21) ^ v0
        v2 = Self.rotate(v2, 32)
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
