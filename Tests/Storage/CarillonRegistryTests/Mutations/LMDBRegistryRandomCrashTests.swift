import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

/// Random changes with a write-ahead log, and a process that ends in the middle again and again.
struct LMDBRegistryRandomCrashTests {
    @Test(arguments: TestSeeds.of(1...60))
    func answersAndStateAreThoseOfTheReferenceAfterCrashes(seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        var scratch = RegistryDirectory()
        var registry = try run.open(scratch) { $0.ingestInBulk() }
        for step in 1...12 {
            // Each change is a batch of its own. In a batch, one change that is committed at once commits the others.
            for change in run.nextChanges() {
                let expected = run.reference.apply(change)
                let answer = try registry.apply(change)
                try #require(answer == expected, "seed \(seed), step \(step): \(change)")
            }
            let crashed = try scratch.crashed()
            registry.close()
            (scratch, registry) = (crashed, try run.open(crashed) { $0.ingestInBulk() })
            if step.isMultiple(of: 3) { try run.compare(registry, after: "seed \(seed), step \(step)") }
        }
        registry.close()
    }
}
