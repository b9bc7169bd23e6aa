import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// Topics of many devices in memory, and their way to `memberships`.
struct BufferedTopicsTests {
    private let scratch = RegistryDirectory()

    @Test(arguments: TestSeeds.of(1...3)) func `each device has its topics however many are written at once`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        try scratch.open().close()
        try scratch.edit { environment, tables in
            let buffer = BufferedTopics(tables: tables)
            var expected: [DeviceID: Set<SetNumber>] = [:]
            try environment.write { transaction in
                for round in 1...2 {
                    for _ in 0..<10_000 {
                        let device = deviceID(.random(in: 1...3_000, using: &generator))
                        let topic = SetNumber.random(in: 1...500, using: &generator)
                        // Only topics that the device does not have are added.
                        guard expected[device, default: []].insert(topic).inserted else { continue }
                        buffer.add(topic, of: device, app: 1)
                    }
                    var calls = 1
                    while try buffer.flushSome(in: &transaction) == .incomplete { calls += 1 }
                    #expect(calls > 2, "seed \(seed), round \(round)")
                    #expect(buffer.count == 0)
                    for (device, topics) in expected {
                        let membership = try tables.memberships.get(device, app: 1, in: transaction)
                        #expect(membership.topics == topics.sorted(), "seed \(seed), round \(round)")
                    }
                }
            }
        }
    }
}
