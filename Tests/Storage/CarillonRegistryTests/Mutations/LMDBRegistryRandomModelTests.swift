import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

/// Random changes against ``ReferenceRegistry``: the same answers, and the same state, also after reopening and
/// after crashes.
struct LMDBRegistryRandomModelTests {
    @Test(arguments: TestSeeds.of(1...120))
    func `answers and state are those of the reference`(seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        let scratch = RegistryDirectory()
        // Half of them ingest in bulk, with its caches. In half of these the token index cache evicts nearly
        // everything.
        let isBulkIngest = seed.isMultiple(of: 2)
        func change(_ options: inout LMDBRegistry.Options) {
            if isBulkIngest { options.ingestInBulk() }
            if seed.isMultiple(of: 4) { options.bulkIngest.tokenIndexBuckets = 1 }
            // In two thirds of them rows of the token index are moved.
            options.bulkIngest.recentAddresses = [400_000, 3, 0][Int(seed % 3)]
        }
        var registry = try run.open(scratch, change)
        for step in 1...20 {
            let changes = run.nextChanges()
            let expected = changes.map { run.reference.apply($0) }
            let answers = try isBulkIngest ? changes.map { try registry.apply($0) } : registry.apply(changes)
            try #require(answers == expected, "seed \(seed), step \(step): \(changes)")
            if step.isMultiple(of: 5) {
                run.reference.sweep(run.now)
                while try registry.sweep(now: Timestamp(milliseconds: run.now)) == .incomplete {}
            }
            if step.isMultiple(of: 10) {
                registry.close()
                registry = try run.open(scratch, change)
                try run.compare(registry, after: "seed \(seed), step \(step)")
            }
        }
        registry.close()
    }

    /// The process ends in the middle again and again: the write-ahead log has what was not committed.
    @Test(arguments: TestSeeds.of(1...60))
    func `answers and state are those of the reference after crashes`(seed: UInt64) throws {
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
            registry = try run.open(crashed) { $0.ingestInBulk() }
            scratch = crashed
            if step.isMultiple(of: 3) { try run.compare(registry, after: "seed \(seed), step \(step)") }
        }
        registry.close()
    }

    /// The kinds are tried against the reference alone, which is quick. A weight that is never drawn, or draws only
    /// what is refused, tests nothing.
    @Test func `every kind of change occurs and takes effect`() {
        var applied: [RandomRun.ChangeKind: Int] = [:]
        for seed: UInt64 in 1...40 {
            var run = RandomRun(seed: seed)
            for _ in 1...20 {
                for (kind, change) in run.nextKindsAndChanges() {
                    if case .refused = run.reference.apply(change) { continue }
                    applied[kind, default: 0] += 1
                }
            }
        }
        for kind in RandomRun.ChangeKind.allCases { #expect(applied[kind, default: 0] > 0, "\(kind)") }
    }
}
