import CarillonCore

/// The hash of whole arrays, for the records of the log and the fingerprints of requests.
extension Murmur3State {
    /// Returns the MurmurHash3 of bytes in its form for 64-bit machines, with seed 0.
    static func hash(of bytes: [UInt8]) -> UUIDBytes {
        var state = Murmur3State()
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let one = word(of: bytes, at: start)
            let other = word(of: bytes, at: start + 8)
            if bytes.count - start >= 16 { state.add(one, other) } else { state.addLast(one, other) }
        }
        return state.value(byteCount: UInt64(bytes.count))
    }

    /// Returns eight bytes as a number, the least significant first; bytes past the end are 0.
    private static func word(of bytes: [UInt8], at start: Int) -> UInt64 {
        if bytes.count - start >= 8 {
            return bytes.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
        }
        guard start < bytes.count else { return 0 }
        return bytes[start...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
