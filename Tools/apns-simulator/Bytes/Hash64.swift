/// Folds the 128-bit product of two words. The result is fast and well spread, and not secure against an adversary.
func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}

/// Returns a hash of the bytes, which is the same in every run.
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
