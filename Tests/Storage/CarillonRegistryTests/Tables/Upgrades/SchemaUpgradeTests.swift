import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// The first start of this program with the database of another schema: the rows of an older schema are there
/// afterwards, and a newer schema is refused. ``PlatformUpgradeTests`` has the step from schema 5.
struct SchemaUpgradeTests {
    private let scratch = RegistryDirectory()

    /// Rewrites the rows as a program of schema 3 has stored them.
    private func downgradeToSchema3() throws {
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                var rows: [(key: [UInt8], value: [UInt8])] = []
                func key(_ app: AppNumber, address: DeviceAddress) -> [UInt8] {
                    ByteWriter.bytes(capacity: AppAddress.maximumBytes) { AppAddress.append(app, address, to: &$0) }
                }
                try tables.devices.forEach(in: transaction) { app, device in
                    let value = ByteWriter.bytes(capacity: 10) {
                        $0.append(UInt8(1))
                        $0.append(UInt8(1))
                        $0.append(device.id.rawValue)
                    }
                    rows.append((key(app, address: device.address), value))
                }
                try tables.tombstones.forEach(in: transaction) { app, address, tombstone in
                    let value = ByteWriter.bytes(capacity: 18) {
                        $0.append(UInt8(1))
                        $0.append(UInt8(2))
                        $0.append(tombstone.unregisteredAt)
                        $0.append(tombstone.writtenAt)
                    }
                    rows.append((key(app, address: address), value))
                }
                let all: [UInt8] = []
                for database in [tables.addresses.database, tables.addresses.recent, tables.tombstones.database] {
                    let database = try #require(database)
                    var keys: [[UInt8]] = []
                    try transaction.forEach(in: database, prefix: all.span) { key, _ in
                        keys.append(key.withUnsafeBufferPointer { Array($0) })
                        return .proceed
                    }
                    for key in keys { _ = try transaction.delete(key.span, in: database) }
                }
                for row in rows {
                    try transaction.put(row.value.span, for: row.key.span, in: tables.addresses.database)
                }
                _ = try transaction.delete(Array("secret".utf8).span, in: tables.meta.database)
                let schema: [UInt8] = [0, 0, 0, 3]
                try transaction.put(schema.span, for: Array("schema".utf8).span, in: tables.meta.database)
            }
        }
    }

    @discardableResult
    private func fill() throws -> UUIDBytes {
        let registry = try scratch.open()
        defer { registry.close() }
        for token in 1...9 as ClosedRange<UInt8> {
            try registry.apply(.register(token, topics: ["a"], groups: ["user/\(token)"]))
        }
        try registry.apply([
            .unregister(3), .unregister(7), .unregister(20),
            .accept(.sample(to: [byToken(1), byToken(3)]), now: timestamp(1_000)),
        ])
        return registry.epoch
    }

    @Test func `an upgraded database has all its devices`() throws {
        let epoch = try fill()
        try downgradeToSchema3()
        // A reader changes nothing.
        #expect(throws: RegistryError.corrupted("meta: schema 3, this program reads \(MetaTable.schema)")) {
            try LMDBRegistry(reading: scratch.path)
        }
        let registry = try scratch.open()
        #expect(registry.epoch == epoch)
        #expect(try registry.verify() == [])
        let found = try (1...9 as ClosedRange<UInt8>).map { try registry.device(byToken($0), of: game)?.id }
        #expect(
            found == [
                deviceID(1), deviceID(2), nil, deviceID(4), deviceID(5), deviceID(6), nil, deviceID(8), deviceID(9),
            ])
        #expect(
            try registry.archivedTombstones(of: game, after: nil, limit: 10).map(\.address) == [
                address(3), address(7), address(20),
            ])
        let answers = try registry.apply([.register(3), .register(4), .register(10)])
        #expect(
            answers == [
                .refused(.stale), .registered(deviceID(4), .refreshed, ended: nil),
                .registered(deviceID(10), .created, ended: nil),
            ])
        #expect(try registry.status(of: messageID(1), app: game) != nil)
        while try registry.sweep(now: timestamp(10_000_000_000_000)) == .incomplete {}
        #expect(try registry.archivedTombstones(of: game, after: nil, limit: 10) == [])
        registry.close()
        #expect(try scratch.open().verify() == [], "once is enough")
    }

    @Test func `a database without recent rows is only marked`() throws {
        let epoch = try fill()
        try scratch.setSchema(4)
        #expect(try OfflineDatabase(at: scratch.path).needsRecovery())
        let registry = try scratch.open()
        #expect(registry.epoch == epoch)
        #expect(try registry.verify() == [])
        #expect(try registry.device(byToken(9), of: game)?.id == deviceID(9))
        registry.close()
        #expect(try !OfflineDatabase(at: scratch.path).needsRecovery())
    }

    @Test func `a database without its secret is refused`() throws {
        try fill()
        try scratch.setSchema(4, withSecret: false)
        #expect(throws: RegistryError.corrupted("meta: no secret")) { try scratch.open() }
    }

    @Test func `a database of a newer program is refused`() throws {
        try fill()
        try scratch.setSchema(7)
        #expect(throws: RegistryError.corrupted("meta: schema 7, this program reads 6")) { try scratch.open() }
    }

    @Test func `an upgrade in pieces of one row gives the same database`() throws {
        try fill()
        try downgradeToSchema3()
        do {
            var options = LMDBEnvironment.Options()
            options.mapBytes = 16 << 20
            options.maximumDatabases = Tables.databaseCount
            let environment = try LMDBEnvironment(path: scratch.path, options: options)
            let upgrade = try SchemaUpgrade(environment, maximumRowsInMemory: 1) { Issue.record("\($0)") }
            _ = try environment.write { try upgrade.run(in: &$0) }
        }
        let registry = try scratch.open()
        #expect(try registry.verify() == [])
        #expect(try registry.device(byToken(9), of: game)?.id == deviceID(9))
        #expect(try registry.apply(.register(20)) == .refused(.stale))
    }

    @Test func `an unreadable row stays and stops no upgrade`() throws {
        try fill()
        try downgradeToSchema3()
        try scratch.corruptDevice(2)
        try scratch.edit { environment, tables in
            let corrupt: [(key: [UInt8], value: [UInt8])] = [([0, 0, 0, 1, 9, 9, 9], [1, 2]), ([7], [99])]
            try environment.write { transaction in
                for row in corrupt {
                    try transaction.put(row.value.span, for: row.key.span, in: tables.addresses.database)
                }
            }
        }
        let reported = UnreadableReports()
        let registry = try scratch.open { $0.onUnreadable = reported.record }
        #expect(reported.take() == ["addresses: 2 rows of schema 3 cannot be read, and stay as they are"])
        #expect(try registry.device(byToken(1), of: game)?.id == deviceID(1))
        #expect(throws: RegistryError.self) { try registry.device(byToken(2), of: game) }
        #expect(try registry.apply(.register(7)) == .refused(.stale))
        #expect(throws: RegistryError.self) { try registry.verify() }
    }

    /// The database is that of an older program which was killed before it had made all its tables.
    @Test func `an empty database is upgraded too`() throws {
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        options.maximumDatabases = 4
        do {
            let environment = try LMDBEnvironment(path: scratch.path, options: options)
            let meta = try environment.openDatabase("meta", ifMissing: .create)
            try environment.write { transaction in
                try transaction.put(([0, 0, 0, 3] as [UInt8]).span, for: Array("schema".utf8).span, in: meta)
                try transaction.put([UInt8](repeating: 7, count: 16).span, for: Array("epoch".utf8).span, in: meta)
            }
        }
        let registry = try scratch.open()
        #expect(registry.epoch == UUIDBytes(high: 0x0707_0707_0707_0707, low: 0x0707_0707_0707_0707))
        #expect(try registry.apply(.register(1)) == .registered(deviceID(1), .created, ended: nil))
        #expect(try registry.verify() == [])
    }

    @Test func `the page of the data files names the current schema`() throws {
        let root = Repository.root
        let page = root.appendingPathComponent("Sources/Documentation/DataFiles.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("The current schema is \(MetaTable.schema)."))
    }
}
