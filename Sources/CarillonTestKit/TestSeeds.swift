import Foundation

/// The seeds of random tests. A test takes each as an argument, so that a failure names it.
package enum TestSeeds {
    /// The seed of the environment variable `CARILLON_SEED`, or these.
    package static func of(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
        ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(seeds)
    }
}

/// Random numbers that follow from a seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator: the same seed, the same numbers.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    package mutating func next() -> UInt64 {
        // &+ and &*: the arithmetic of SplitMix64 is modulo 2^64.
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
