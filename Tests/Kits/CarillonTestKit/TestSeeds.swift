import Foundation

/// The seeds of random tests. The environment variable `CARILLON_SEED` replaces them, so that a failed run can be
/// repeated.
package enum TestSeeds {
    private static var environmentSeed: UInt64? {
        ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap { UInt64($0) }
    }

    /// Returns the seed of the environment, or these. A test takes each as an argument, so that a failure names it.
    package static func of(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
        environmentSeed.map { [$0] } ?? Array(seeds)
    }

    /// Returns the seed of the environment, or `seed`; prints it with the name of the test.
    package static func one(_ seed: UInt64 = .random(in: 0 ... .max), test: String = #function) -> UInt64 {
        let used = environmentSeed ?? seed
        print("\(test): CARILLON_SEED=\(used)")
        return used
    }
}
