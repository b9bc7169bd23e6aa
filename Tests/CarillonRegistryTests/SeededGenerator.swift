import Foundation

/// The seeds of a random test: the one in the environment variable `CARILLON_SEED`, else all of `seeds`.
func testSeeds(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
    ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(seeds)
}

/// A small, fast generator whose numbers are the same everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
