import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The token index as the writer sees it: what it has in memory and the table say the same.
struct TokenIndexTests {
    private let scratch = RegistryDirectory()

    /// Calls `body` with the token index of a new database, in a transaction.
    private func withIndex(
        _ body: (TokenIndex, Tables, inout WriteTransaction) throws -> Void
    ) throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            let index = TokenIndex(tables: tables, limits: LMDBRegistry.BulkIngestLimits())
            try environment.write { try body(index, tables, &$0) }
        }
    }

    @Test func `an address is given to one device`() throws {
        try withIndex { index, tables, transaction in
            let digest = tables.digest(of: address(1), app: 1)
            let states = try (7...8 as ClosedRange<UInt64>).map { number in
                try index.insertIfAbsent(
                    deviceID(number), at: address(1), digest: digest, app: 1, in: &transaction)
            }
            #expect(states == [nil, .device(deviceID(7))])
            #expect(index.deviceInMemory(at: digest, app: 1) == deviceID(7))
            #expect(try tables.addresses.get(digest, app: 1, in: transaction) == nil, "its row is not written yet")
            try index.flush(in: &transaction)
            #expect(try tables.addresses.get(digest, app: 1, in: transaction) == .device(deviceID(7)))
            #expect(index.deviceInMemory(at: digest, app: 1) == nil, "only the table can tell")
        }
    }

    @Test func `an address is put and deleted in memory and in the table`() throws {
        try withIndex { index, tables, transaction in
            let digest = tables.digest(of: address(1), app: 1)
            try index.extendCaches(in: &transaction)
            try index.put(.device(deviceID(7)), at: digest, app: 1, in: &transaction)
            #expect(index.deviceInMemory(at: digest, app: 1) == deviceID(7))
            #expect(try index.row(of: digest, app: 1, in: transaction) == .device(deviceID(7)))
            try index.put(.tombstone, at: digest, app: 1, in: &transaction)
            #expect(index.deviceInMemory(at: digest, app: 1) == nil)
            #expect(try index.row(of: digest, app: 1, in: transaction) == .tombstone)
            try index.delete(digest, app: 1, in: &transaction)
            #expect(try index.row(of: digest, app: 1, in: transaction) == nil)
        }
    }

    @Test func `an aborted transaction leaves nothing in memory`() throws {
        try withIndex { index, tables, transaction in
            let digest = tables.digest(of: address(1), app: 1)
            try index.extendCaches(in: &transaction)
            _ = try index.insertIfAbsent(deviceID(7), at: address(1), digest: digest, app: 1, in: &transaction)
            index.transactionAborted()
            #expect(index.deviceInMemory(at: digest, app: 1) == nil)
            #expect(index.bufferedRows.isEmpty)
            #expect(index.cache == nil)
            #expect(!index.filter.lacks(digest))
        }
    }
}
