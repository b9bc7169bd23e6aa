import Foundation

/// A random number generator with a seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// Uses the seed of the environment variable `CARILLON_SEED`, else `seed`, and prints it.
    init(seed: UInt64, _ test: String = #function) {
        state = ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap { UInt64($0) } ?? seed
        print("\(test): CARILLON_SEED=\(state)")
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var mixed = state
        mixed ^= mixed >> 32
        mixed = mixed &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ (mixed >> 32)
    }
}
