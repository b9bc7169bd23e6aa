/// A random number generator with a seed (Knuth's multiplier, the upper bits).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        // Wrapping is intended: it mixes the bits.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 32 | state << 32) ^ state >> 7
    }
}
