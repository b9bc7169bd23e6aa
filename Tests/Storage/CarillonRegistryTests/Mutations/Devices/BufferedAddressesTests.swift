import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// New rows of the token index in memory, and their way to `recent`.
struct BufferedAddressesTests {
    private let scratch = RegistryDirectory()

    /// A buffer, and the rows that it should have.
    private struct Model {
        var buffer = BufferedAddresses()
        var rows: [AddressDigest: AddressRecord] = [:]

        mutating func insert(_ device: DeviceID, at address: AddressDigest) {
            rows[address] = .device(device)
            buffer.insert(device, at: address, app: 1)
        }

        /// Replaces or deletes the row of an address; returns true if the buffer had one.
        mutating func replace(_ address: AddressDigest, by row: AddressRecord?) -> Bool {
            rows[address] = row
            return buffer.replaceIfPresent(address, app: 1, by: row)
        }

        /// Returns true if the buffer has the rows of all addresses, and none of the same addresses of another app.
        func agrees(on addresses: some Sequence<AddressDigest>) -> Bool {
            addresses.allSatisfy {
                buffer.row(of: $0, app: 1) == rows[$0] && buffer.row(of: $0, app: 2) == nil
            }
        }
    }

    /// Makes different addresses. They share a quarter of the slots, so that a row often finds its slot taken.
    private static func addresses(_ count: Int, using generator: inout SeededGenerator) -> [AddressDigest] {
        (0..<count).map { number in
            let slot = UInt64.random(in: 0..<16_384, using: &generator)
            return AddressDigest(head: UInt64(number) << 20 | slot, tail: .random(in: 0...3, using: &generator))
        }
    }

    @Test(arguments: TestSeeds.of(1...3)) func `each address is found until it is written and then in the table`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        try scratch.open().close()
        try scratch.edit { environment, tables in
            var model = Model()
            let addresses = Self.addresses(10_000, using: &generator)
            try environment.write { transaction in
                for (index, address) in addresses.enumerated() {
                    model.insert(deviceID(UInt64(index + 1)), at: address)
                }
                for (index, address) in addresses.shuffled(using: &generator).prefix(3_000).enumerated() {
                    let hasReplaced = model.replace(address, by: index % 2 == 0 ? nil : .tombstone)
                    #expect(hasReplaced, "seed \(seed)")
                }
                // An address that was released can be taken again before anything is written.
                for address in addresses.prefix(500) where model.rows[address] == nil {
                    model.insert(deviceID(20_000), at: address)
                }
                #expect(model.buffer.count == model.rows.count)
                #expect(model.agrees(on: addresses), "seed \(seed)")
                while try model.buffer.writeSome(to: tables.addresses, in: &transaction) == .incomplete {
                    #expect(model.agrees(on: addresses), "between two pieces, seed \(seed)")
                }
                #expect(model.buffer.isEmpty)
                var stored: [AddressDigest: AddressRecord] = [:]
                try tables.addresses.forEach(in: transaction) { stored[$1] = $2 }
                #expect(stored == model.rows, "seed \(seed)")
            }
        }
    }

    @Test func `an address belongs to its app`() {
        var buffer = BufferedAddresses()
        let address = AddressDigest(head: 7, tail: 7)
        buffer.insert(deviceID(1), at: address, app: 1)
        buffer.insert(deviceID(2), at: address, app: 2)
        #expect(buffer.row(of: address, app: 1) == .device(deviceID(1)))
        #expect(buffer.row(of: address, app: 2) == .device(deviceID(2)))
        let deleted = (0..<2).map { _ in buffer.replaceIfPresent(address, app: 1, by: nil) }
        #expect(deleted == [true, false])
        #expect(buffer.row(of: address, app: 2) == .device(deviceID(2)))
    }

    /// Before the rows are written, later changes of the same transaction find the new devices by their tokens, and
    /// release the tokens.
    @Test func `a device is found by its token before its row is written`() throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            let applier = ChangeApplier(context: context)
            try environment.write { transaction in
                for number: UInt8 in 1...3 { _ = try applier.apply(.register(number), in: &transaction) }
                #expect(context.tokenIndex.bufferedRows.count == 3)
                let again = try applier.apply(.register(2), in: &transaction)
                #expect(again == .registered(deviceID(2), .refreshed, ended: nil))
                let ended = try applier.apply(.unregister(1), in: &transaction)
                #expect(ended == .unregistered(deviceID(1)))
                let new = try applier.apply(.register(1, seenAt: 9_000, now: 10_000), in: &transaction)
                #expect(new == .registered(deviceID(4), .created, ended: nil))
                try context.flush(in: &transaction)
                #expect(context.tokenIndex.bufferedRows.isEmpty)
                let app = try #require(try context.ids.knownNumber(of: game, in: transaction))
                #expect(try tables.addresses.countDevices(app: app, in: transaction) == 3)
            }
        }
    }

    @Test func `outside of bulk ingest rows are written as soon as there are many`() throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            try environment.write { transaction in
                for number in 1...512 as ClosedRange<UInt64> {
                    try context.flushBufferedRowsIfMany(in: &transaction)
                    #expect(context.tokenIndex.bufferedRows.count == Int(number - 1))
                    context.tokenIndex.bufferedRows.insert(
                        deviceID(number), at: AddressDigest(head: number, tail: 0), app: 1)
                }
                try context.flushBufferedRowsIfMany(in: &transaction)
                #expect(context.tokenIndex.bufferedRows.isEmpty)
                #expect(try tables.addresses.countDevices(app: 1, in: transaction) == 512)
            }
        }
    }

    /// Replicas of one log commit at different moments, and must have the same rows in the same tables. The arguments
    /// are the changes before which the rows are written.
    @Test(arguments: [[], [1], [2], [3], [1, 2, 3, 4]])
    func `a row is in recent whenever it is written`(before written: [Int]) throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            let applier = ChangeApplier(context: context)
            // In the end token 1 has a tombstone, and token 2 a device.
            let changes = [
                Change.register(1), .register(2), .unregister(1), .unregister(2),
                .register(2, seenAt: 9_000, now: 10_000),
            ]
            try environment.write { transaction in
                for (index, change) in changes.enumerated() {
                    if written.contains(index) { try context.flush(in: &transaction) }
                    _ = try applier.apply(change, in: &transaction)
                }
                try context.flush(in: &transaction)
                #expect(try tables.addresses.recentCount(in: transaction) == 2)
                #expect(try tables.addresses.count(in: transaction) == 2)
            }
        }
    }
}
