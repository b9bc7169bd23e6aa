import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The database of a data directory when its registry is opened: all of its rows are there, or it is refused.
struct OpenedDatabaseTests {
    private let scratch = RegistryDirectory()

    @Test func `every row is there after reopening`() throws {
        try scratch.fillEveryTable()
        let before = try scratch.rows()
        try scratch.open().close()
        #expect(try scratch.rows() == before)
    }

    @Test func `a reopened registry has the same epoch and gives the next numbers`() throws {
        let first = try scratch.open()
        let epoch = first.epoch
        try first.apply([.register(1), .register(2), .unregister(3)])
        try first.apply(.accept(.sample(to: [byToken(1), byToken(2)]), now: timestamp(1_000)))
        first.close()

        let second = try scratch.open()
        #expect(second.epoch == epoch)
        #expect(try second.verify() == [])
        let answers = try second.apply([
            .register(4), .register(3), .accept(.sample(to: [byToken(4)]), now: timestamp(1_000)),
        ])
        #expect(answers[0] == .registered(deviceID(3), .created, ended: nil))
        #expect(answers[1] == .refused(.stale))
        guard case .accepted(let acceptance, _) = answers[2] else {
            Issue.record("not accepted: \(answers)")
            return
        }
        #expect(acceptance.id == messageID(2))
    }

    @Test func `a new registry has another epoch`() throws {
        #expect(try scratch.open().epoch != RegistryDirectory().open().epoch)
    }

    @Test func `another schema is refused`() throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            try environment.write {
                try $0.put(([0, 0, 0, 9] as [UInt8]).span, for: Array("schema".utf8).span, in: tables.meta.database)
            }
        }
        let refusal = RegistryError.corrupted("meta: schema 9, this program reads \(MetaTable.schema)")
        #expect(throws: refusal) { try scratch.open() }
    }

    @Test func `nothing is made in a registry of another schema`() throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                for name in ["schema", "epoch", "secret", "state", "settings", "journal", "starts"] {
                    _ = try transaction.delete(Array(name.utf8).span, in: tables.meta.database)
                }
            }
        }
        // The other database must look as if another program had made it.
        let other = RegistryDirectory()
        var options = LMDBEnvironment.Options()
        options.createsDirectory = true
        options.maximumDatabases = 2
        do {
            let environment = try LMDBEnvironment(path: other.path, options: options)
            let meta = try environment.openDatabase("meta", ifMissing: .create)
            try environment.write {
                try $0.put(([0, 0, 0, 9] as [UInt8]).span, for: Array("schema".utf8).span, in: meta)
            }
        }
        let refusal = RegistryError.corrupted("meta: schema 9, this program reads \(MetaTable.schema)")
        #expect(throws: refusal) { try other.open() }
        do {
            let environment = try LMDBEnvironment(path: other.path, options: options)
            #expect(throws: LMDBError.self) { try environment.openDatabase("apps") }
        }
        // The first database has no rows, as after an interrupted making: the start makes it again.
        try scratch.open().close()
    }

    /// With another secret every address would be unknown, and each registration would make a second device.
    @Test(arguments: [[], [UInt8](repeating: 1, count: 20), [1, 2, 3]]) func `a corrupt secret is refused`(
        _ secret: [UInt8]
    )
        throws
    {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                try transaction.put(secret.span, for: Array("secret".utf8).span, in: tables.meta.database)
            }
        }
        #expect(throws: RegistryError.self) { try scratch.open() }
        #expect(throws: RegistryError.self) { try LMDBRegistry(reading: scratch.path) }
    }

    /// Ids would be given a second time.
    @Test func `a database that has lost its schema is refused`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        registry.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                _ = try transaction.delete(Array("schema".utf8).span, in: tables.meta.database)
            }
        }
        #expect(throws: RegistryError.corrupted("meta: no schema, and apps is not empty")) { try scratch.open() }
        try scratch.edit { environment, tables in
            let schema = try environment.read { (transaction) throws in try tables.meta.schema(in: transaction) }
            #expect(schema == nil)
            #expect(tables.databases.map(\.name).sorted() == (try environment.databaseNames()))
        }
    }
}
