/// A random number generator with a seed (SplitMix64): the same seed gives the same numbers. It must not make secrets.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator of the numbers of a seed; any seed is as good as another.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        // &+ and &*: the arithmetic of SplitMix64 is modulo 2^64.
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, and without, 1.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
