import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// Two registries made from one log: the same answers, and the same rows in every table, byte for byte, whatever else
/// is different about them.
struct LMDBRegistryReplicaTests {
    @Test(arguments: TestSeeds.of(1...40))
    func `the same log gives the same answers and rows`(seed: UInt64) throws {
        var pair = try ReplicaPair(seed: seed)
        let difference = try pair.run()
        #expect(difference == nil, "seed \(seed)")
    }

    @Test(arguments: ReplicaPair.PlantedFault.allCases)
    func `a planted difference is found`(fault: ReplicaPair.PlantedFault) throws {
        let found = try (1...20 as ClosedRange<UInt64>).contains { seed in
            var pair = try ReplicaPair(seed: seed, fault: fault)
            do {
                return try pair.run() != nil
            } catch is RegistryError {
                // A change that cannot be applied to one of them is a difference as well.
                return true
            }
        }
        #expect(found)
    }
}
