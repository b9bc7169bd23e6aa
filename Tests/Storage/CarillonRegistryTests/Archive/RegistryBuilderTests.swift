import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Foundation
import Testing

/// The rows that are refused while a registry is built.
struct RegistryBuilderTests {
    struct Contradiction: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var id: UInt64 = 1
        var token: UInt8 = 1
        var state = DeviceState.active
        var since: Timestamp?
    }

    @Test(arguments: [
        Contradiction(testDescription: "an id twice", token: 2), Contradiction(testDescription: "a token twice", id: 2),
        Contradiction(testDescription: "an id that was not given", id: 9, token: 2),
        Contradiction(testDescription: "no id", id: 0, token: 2),
        Contradiction(testDescription: "in quarantine since never", id: 2, token: 2, state: .quarantined),
        Contradiction(testDescription: "active and in quarantine", id: 2, token: 2, since: timestamp(1)),
    ])
    func `a row that contradicts itself is refused and nothing is imported`(_ contradiction: Contradiction) throws {
        func row(_ id: UInt64, token: UInt8, state: DeviceState, since: Timestamp?) -> ArchivedDevice {
            var row = ArchivedDevice(
                device: DeviceRecord(
                    id: deviceID(id), address: address(token), registeredAt: timestamp(1),
                    seenAt: timestamp(1), state: state))
            row.quarantinedAt = since
            return row
        }
        let scratch = RegistryDirectory()
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        do {
            let builder = try RegistryBuilder(path: scratch.path)
            _ = try builder.add(game, next: deviceID(3))
            try builder.add([row(1, token: 1, state: .active, since: nil)], to: game)
            #expect(throws: RegistryError.self) {
                try builder.add(
                    [
                        row(
                            contradiction.id, token: contradiction.token, state: contradiction.state,
                            since: contradiction.since)
                    ], to: game)
            }
        }
        let registry = try scratch.open()
        #expect(try registry.verify() == [])
        #expect(try registry.archiveCounts(of: game).devices == 1)
    }
}
