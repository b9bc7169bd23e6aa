import Glibc

/// Random numbers (SplitMix64) from a seed that the test prints, and that `CARILLON_SEED` sets to repeat a failure.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator for a test and prints its seed.
    init(test: String) {
        let given = getenv("CARILLON_SEED").flatMap { UInt64(String(cString: $0)) }
        state = given ?? .random(in: 0 ... .max)
        print("\(test): CARILLON_SEED=\(state)")
    }

    mutating func next() -> UInt64 {
        // SplitMix64 is defined modulo 2^64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
