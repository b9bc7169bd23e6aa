package import CarillonCore

/// A 128-bit hash of words that come one after the other: MurmurHash3 in its form for 64-bit machines.
///
/// The hash finds damage and mistakes. It is not a cryptographic hash, and not the protection against a log database
/// that lies.
package struct WordHash: Sendable {
    private var state: Murmur3State
    /// The first word of a pair that is not complete.
    private var half: UInt64?
    private var byteCount: UInt64 = 0

    /// Begins a hash that continues from another.
    package init(seed: UUIDBytes = .zero) {
        state = Murmur3State(first: seed.high, second: seed.low)
    }

    /// Adds eight bytes.
    package mutating func add(_ word: UInt64) {
        byteCount &+= 8
        guard let before = half else {
            half = word
            return
        }
        half = nil
        state.add(before, word)
    }

    /// Adds bytes, as words with the least significant byte first. The last word is filled up with zeros, and the count
    /// follows it. So the same bytes, cut into other pieces, have another hash.
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

    /// The hash of the words that were added.
    package var value: UUIDBytes {
        var state = state
        if let half { state.addLast(half) }
        return state.value(byteCount: byteCount)
    }

    package static func of(_ bytes: ArraySlice<UInt8>) -> UUIDBytes {
        var hash = WordHash()
        hash.add(bytes)
        return hash.value
    }
}
