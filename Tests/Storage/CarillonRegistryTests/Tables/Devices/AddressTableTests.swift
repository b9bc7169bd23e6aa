import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// The token index in its two tables: recent rows, and those that were moved.
struct AddressTableTests {
    private let scratch = RegistryDirectory()

    private struct Address: Hashable {
        let app: AppNumber
        let digest: AddressDigest
    }

    /// Makes addresses; many stand beside each other.
    private func randomAddress(_ generator: inout SeededGenerator) -> Address {
        let digest = AddressDigest(head: .random(in: 0..<200, using: &generator) << 56, tail: 7)
        return Address(app: .random(in: 1...3, using: &generator), digest: digest)
    }

    init() throws { try scratch.open().close() }

    @Test(arguments: TestSeeds.of(1...20)) func `a row reads the same in both tables`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var model: [Address: AddressRecord] = [:]
        var rowKey: AddressTable.RowKey?
        try scratch.edit { environment, tables in
            let table = tables.addresses
            try environment.write { transaction in
                for step in 1...600 {
                    let address = randomAddress(&generator)
                    let (app, digest) = (address.app, address.digest)
                    let device = AddressRecord.device(deviceID(UInt64(step)))
                    #expect(try table.get(digest, app: app, in: transaction) == model[address], "seed \(seed)")
                    switch Int.random(in: 0..<10, using: &generator) {
                    case 0..<5 where model[address] == nil:
                        let row = BufferedAddresses.Row(
                            app: app, digest: digest, value: .device(deviceID(UInt64(step))))
                        try table.insertRecent([row], in: &transaction)
                        model[address] = device
                    case 5:
                        try table.put(.tombstone, for: digest, app: app, in: &transaction)
                        model[address] = .tombstone
                    case 6:
                        try table.put(device, for: digest, app: app, in: &transaction)
                        model[address] = device
                    case 7:
                        try table.delete(digest, app: app, in: &transaction)
                        model[address] = nil
                    default:
                        let limit = Int.random(in: 1...8, using: &generator)
                        rowKey = try table.moveRecentRows(after: rowKey, limit: limit, in: &transaction)
                    }
                }
                var found: [Address: AddressRecord] = [:]
                try table.forEach(in: transaction) { app, digest, record in
                    let old = found.updateValue(record, forKey: Address(app: app, digest: digest))
                    #expect(old == nil, "two rows of one address; seed \(seed)")
                }
                #expect(found == model, "seed \(seed)")
                #expect(try table.count(in: transaction) == model.count)
                for app in 1...3 as ClosedRange<AppNumber> {
                    let devices = model.count { $0.key.app == app && $0.value != .tombstone }
                    #expect(try table.countDevices(app: app, in: transaction) == UInt64(devices))
                }
            }
        }
    }

    @Test(arguments: TestSeeds.of(1...10)) func `a row that moves between two reads is found`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let addresses = Set((0..<300).map { _ in randomAddress(&generator) })
        try scratch.edit { environment, tables in
            let table = tables.addresses
            try environment.write { transaction in
                let rows = addresses.enumerated().map { index, address in
                    BufferedAddresses.Row(
                        app: address.app, digest: address.digest, value: .device(deviceID(UInt64(index + 1))))
                }
                try table.insertRecent(rows[...], in: &transaction)
                var (rowKey, moved): (AddressTable.RowKey?, AddressTable.RowKey?) = (nil, nil)
                var found: Set<Address> = []
                var isAtEnd = false
                while !isAtEnd {
                    let limit = found.count + Int.random(in: 1...20, using: &generator)
                    isAtEnd = true
                    try table.forEachRow(after: rowKey, in: transaction) { row in
                        found.insert(Address(app: row.rowKey.app, digest: row.rowKey.digest))
                        rowKey = row.rowKey
                        isAtEnd = found.count < limit
                        return isAtEnd ? .proceed : .stop
                    }
                    let count = Int.random(in: 0...20, using: &generator)
                    if count > 0 { moved = try table.moveRecentRows(after: moved, limit: count, in: &transaction) }
                }
                #expect(found == addresses, "seed \(seed)")
            }
        }
    }

    @Test func `a corrupt recent row stays where it is`() throws {
        try scratch.edit { environment, tables in
            let recent = try #require(tables.addresses.recent)
            try environment.write { transaction in
                for key in [[1], [UInt8](repeating: 0, count: 16)] as [[UInt8]] {
                    try transaction.put([1, 2, 3].span, for: key.span, in: recent)
                }
                let digest = AddressDigest(head: 5, tail: 6)
                let row = BufferedAddresses.Row(app: 1, digest: digest, value: .device(deviceID(1)))
                try tables.addresses.insertRecent([row], in: &transaction)
                #expect(try tables.addresses.moveRecentRows(after: nil, limit: 10, in: &transaction) == nil)
                #expect(try tables.addresses.recentCount(in: transaction) == 2)
                #expect(try tables.addresses.get(digest, app: 1, in: transaction) == .device(deviceID(1)))
            }
        }
    }
}
