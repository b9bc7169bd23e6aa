import Foundation

/// The seed of a random test: that of the environment variable `CARILLON_SEED`, else `seed`. It is printed.
func testSeed(_ seed: UInt64, _ test: String = #function) -> UInt64 {
    let used = ProcessInfo.processInfo.environment["CARILLON_SEED"].flatMap { UInt64($0) } ?? seed
    print("\(test): CARILLON_SEED=\(used)")
    return used
}
