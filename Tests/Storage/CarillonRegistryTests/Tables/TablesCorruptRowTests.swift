import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Rows with other bytes than the registry wrote: the changes and reads that need them are refused, and nothing traps.
struct TablesCorruptRowTests {
    private let scratch = RegistryDirectory()

    @Test func `a corrupt record fails its submission and no other`() throws {
        let first = try scratch.open()
        try first.apply([.register(1), .register(2)])
        first.close()
        try scratch.corruptDevice(1)
        let registry = try scratch.open()
        #expect(throws: RegistryError.corrupted("devices: an unknown number")) {
            try registry.device(.id(deviceID(1)), of: game)
        }
        let completions = Completions()
        for token: UInt8 in [2, 1, 3] {
            registry.submit([.register(token), .register(7)], deadline: nil, completion: completions.completion())
        }
        let results = completions.wait(3).map(\.result)
        #expect(
            results[0]
                == .success([
                    .registered(deviceID(2), .refreshed, ended: nil), .registered(deviceID(3), .created, ended: nil),
                ])
        )
        #expect(results[1] == .failure(.corrupted("devices: an unknown number")))
        #expect(
            results[2]
                == .success([
                    .registered(deviceID(4), .created, ended: nil), .registered(deviceID(3), .refreshed, ended: nil),
                ])
        )
        #expect(throws: RegistryError.corrupted("devices: an unknown number")) { try registry.verify() }
    }

    @Test func `a page with fewer recipients than counted is refused from its middle too`() throws {
        let first = try scratch.open()
        try first.apply([.register(1), .register(2)])
        try first.apply(.accept(.sample(to: [byToken(1), byToken(2), byToken(9)]), now: timestamp(1_000)))
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                let page: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
                try transaction.put(([1, 0, 1, 1] as [UInt8]).span, for: page.span, in: tables.recipients.database)
                try transaction.put(([0] as [UInt8]).span, for: page.span, in: tables.outcomes.database)
            }
        }
        let registry = try scratch.open()
        for cursor: UInt64 in 0...2 {
            #expect(throws: RegistryError.corrupted("recipients: fewer than counted")) {
                try registry.outcomes(of: messageID(1), app: game, cursor: cursor, limit: 10)
            }
        }
    }

    /// Each stored value, cut at each length and with each byte changed: read or refused, never a trap.
    @Test func `no bytes on disk trap`() throws {
        try scratch.fillEveryTable()
        try scratch.edit { environment, tables in
            let empty = try environment.read { (transaction) throws in
                try tables.databases.filter { try transaction.count(in: $0.database) == 0 }.map(\.name)
            }
            #expect(empty == [])
            var refused = 0
            for (_, database) in tables.databases {
                for (key, value) in try rows(of: database, environment) {
                    for mutant in mutants(of: value)
                    where try !isSound(environment, tables: tables, with: mutant, at: key, of: database) {
                        refused += 1
                    }
                }
            }
            #expect(refused > 100)
        }
    }

    private func mutants(of value: [UInt8]) -> [[UInt8]] {
        let cut = (0..<value.count).map { Array(value[..<$0]) }
        let changed = value.indices.map { index in
            var mutant = value
            mutant[index] ^= 0xFF
            return mutant
        }
        return cut + changed + [value + [0]]
    }

    private func rows(
        of database: Database,
        _ environment: LMDBEnvironment
    ) throws -> [(key: [UInt8], value: [UInt8])] {
        var rows: [(key: [UInt8], value: [UInt8])] = []
        try environment.read { transaction in
            try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                rows.append((key.indices.map { key[$0] }, value.indices.map { value[$0] }))
                return .proceed
            }
        }
        return rows
    }

    /// Returns true if the registry is sound with that value, which is not kept.
    private func isSound(
        _ environment: LMDBEnvironment, tables: Tables, with value: [UInt8], at key: [UInt8], of database: Database
    ) throws -> Bool {
        struct Undo: Error {}
        var verifier = Verifier(tables: tables)
        do {
            try environment.write { transaction in
                try transaction.put(value.span, for: key.span, in: database)
                try verifier.run(in: transaction)
                throw Undo()
            }
        } catch RegistryError.corrupted {
            return false
        } catch is Undo {
            // The value was read: it depends on what was found.
        }
        return verifier.findings.isEmpty
    }
}
