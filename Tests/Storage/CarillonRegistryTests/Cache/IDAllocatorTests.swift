import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// No id is given twice, also not after a commit, a restart or an aborted transaction.
struct IDAllocatorTests {
    private let scratch = RegistryDirectory()
    private let shop = AppID("com.example.shop")!

    /// Makes the tables, and runs `body` with the environment and with them.
    private func withTables(_ body: (LMDBEnvironment, Tables) throws -> Void) throws {
        try scratch.open().close()
        try scratch.edit(body)
    }

    /// Returns the next numbers of an allocator: the app, a device and a set of it, and a message.
    private func next(
        _ ids: IDAllocator, of app: AppID, in transaction: inout WriteTransaction
    ) throws -> [UInt64] {
        let number = try ids.number(of: app, in: &transaction)
        return [
            UInt64(number), try ids.newDevice(of: app).rawValue,
            UInt64(try ids.newSet(of: number, in: transaction)), try ids.newMessage(in: transaction).rawValue,
        ]
    }

    @Test func `each app counts its devices and sets and all count messages`() throws {
        try withTables { environment, tables in
            let ids = IDAllocator(tables: tables)
            try environment.write { transaction in
                let given = try [game, game, shop, game].map { try next(ids, of: $0, in: &transaction) }
                #expect(given == [[1, 1, 1, 1], [1, 2, 2, 2], [2, 1, 1, 3], [1, 3, 3, 4]])
                #expect(try ids.knownNumber(of: shop, in: transaction) == 2)
                #expect(try ids.name(of: 2, in: transaction) == shop)
                #expect(ids.nextDevice(of: game) == 4)
            }
        }
    }

    /// The allocator of a restart is another one.
    @Test func `committed ids are known after a restart`() throws {
        try withTables { environment, tables in
            let ids = IDAllocator(tables: tables)
            try environment.write { transaction in
                _ = try next(ids, of: game, in: &transaction)
                _ = try next(ids, of: shop, in: &transaction)
                try ids.flush(in: &transaction)
            }
            ids.transactionCommitted()
            try environment.write { transaction in
                let restarted = IDAllocator(tables: tables)
                let name = try restarted.name(of: 2, in: transaction)
                #expect(name == shop)
                let given = try [shop, game].map { try next(restarted, of: $0, in: &transaction) }
                #expect(given == [[2, 2, 2, 3], [1, 2, 2, 4]])
            }
        }
    }

    /// The numbers that an aborted transaction has given were in no answer: they are given again.
    @Test func `after an abort the ids are those on the disk`() throws {
        struct Aborted: Error {}
        try withTables { environment, tables in
            let ids = IDAllocator(tables: tables)
            try environment.write { transaction in
                _ = try next(ids, of: game, in: &transaction)
                try ids.flush(in: &transaction)
            }
            ids.transactionCommitted()
            #expect(throws: Aborted.self) {
                try environment.write { transaction in
                    _ = try next(ids, of: game, in: &transaction)
                    _ = try next(ids, of: shop, in: &transaction)
                    try ids.flush(in: &transaction)
                    throw Aborted()
                }
            }
            ids.transactionAborted()
            try environment.write { transaction in
                let number = try ids.knownNumber(of: shop, in: transaction)
                let given = try next(ids, of: game, in: &transaction)
                #expect(number == nil)
                #expect(given == [1, 2, 2, 2])
            }
        }
    }

    @Test func `reserved devices are not given`() throws {
        try withTables { environment, tables in
            let ids = IDAllocator(tables: tables)
            try environment.write { transaction in
                _ = try ids.number(of: game, in: &transaction)
                ids.reserveDevices(of: game, before: deviceID(9))
                ids.reserveDevices(of: game, before: deviceID(5))
                #expect(try ids.newDevice(of: game).rawValue == 9)
            }
        }
    }

    @Test func `an app without a number has no ids`() throws {
        try withTables { environment, tables in
            let ids = IDAllocator(tables: tables)
            try environment.write { transaction in
                let known = try (ids.knownNumber(of: game, in: transaction), ids.chunkCount(of: game, in: transaction))
                #expect(known == (nil, 0))
                #expect(ids.nextDevice(of: game) == 1)
                #expect(throws: RegistryError.self) { try ids.newDevice(of: game) }
            }
        }
    }

    /// The chunks of the largest app are known once it is committed.
    @Test func `chunks are those of the largest app`() throws {
        try withTables { environment, tables in
            let ids = IDAllocator(tables: tables)
            try environment.write { transaction in
                for app in [game, shop] { _ = try ids.number(of: app, in: &transaction) }
                ids.reserveDevices(of: game, before: deviceID(UInt64(ChunkBits.width) * 2 + 1))
                #expect(ids.largestChunkCount == 0)
                #expect(try ids.chunkCount(of: game, in: transaction) == 3)
                try ids.flush(in: &transaction)
            }
            ids.transactionCommitted()
            #expect(ids.largestChunkCount == 3)
        }
    }
}
