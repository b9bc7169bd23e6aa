import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import carillon_load

/// The keys of a load and their distribution.
struct KeyChooserTests {
    @Test(arguments: [
        ("uniform", "uniform"), ("zipf", "zipf:0.99"), ("zipf:1.2", "zipf:1.2"),
    ])
    func `a distribution is parsed`(text: String, form: String) throws {
        #expect(try KeyDistribution(text).description == form)
    }

    @Test(arguments: ["zipf:0", "zipf:x", "other", ""])
    func `another distribution is refused`(text: String) {
        #expect(throws: LoadTestError.self) { try KeyDistribution(text) }
    }

    @Test(arguments: [0.5, 0.99, 1, 1.5])
    func `Zipf chooses the keys in proportion`(exponent: Double) {
        let chooser = KeyChooser(count: 50, .zipf(exponent: exponent))
        var generator = SeededGenerator(seed: TestSeeds.one(9))
        var counts = Array(repeating: 0, count: 50)
        for _ in 0..<200_000 { counts[chooser.next(&generator)] += 1 }
        let sum = (1...50).reduce(0) { $0 + pow(Double($1), -exponent) }
        for (rank, count) in counts.sorted(by: >).enumerated() {
            let expected = 200_000 * pow(Double(rank + 1), -exponent) / sum
            #expect(abs(Double(count) - expected) < 6 * expected.squareRoot() + 1, "rank \(rank + 1)")
        }
    }

    @Test(arguments: [1, 2, 10, 1_000_000])
    func `chosen keys are in range and spread`(count: Int) {
        for distribution in [KeyDistribution.uniform, .zipf(exponent: 0.99)] {
            let chooser = KeyChooser(count: count, distribution)
            var generator = SeededGenerator(seed: TestSeeds.one(2))
            var seen: Set<Int> = []
            for _ in 0..<2_000 { seen.insert(chooser.next(&generator)) }
            #expect(seen.allSatisfy { (0..<count).contains($0) })
            #expect(seen.count > min(count, 100) / 2)
        }
    }
}
