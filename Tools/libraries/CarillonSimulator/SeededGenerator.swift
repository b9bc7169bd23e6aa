/// A random number generator: the same seed gives the same numbers.
package struct SeededGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = mix(seed ^ 0xa409_3822_299f_31d0, 0xe703_7ed1_a0b4_28db) }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return mix(state, 0xe703_7ed1_a0b4_28db)
    }

    /// Returns a number from 0 up to 1.
    package mutating func unit() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }
}

/// Folds the 128-bit product of two words: fast and well spread.
private func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}
