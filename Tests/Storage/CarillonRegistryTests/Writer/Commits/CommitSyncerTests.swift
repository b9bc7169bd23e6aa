import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// Commits that are synced while the writer goes on, and the start after a power cut that has lost one.
struct CommitSyncerTests {
    private let scratch = RegistryDirectory()

    @Test func `a commit that has not reached the disk is made again`() throws {
        let registry = try scratch.openWithBulkIngest()
        for token in 1...4 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            try registry.checkpoint()
        }
        let before = try Data(contentsOf: scratch.file("data.mdb"))
        try scratch.waitForSync(of: registry)
        try registry.apply(.register(5))
        try registry.checkpoint()
        let crashed = try scratch.crashed(losingPagesSince: before)
        #expect(try OfflineDatabase(at: crashed.path).needsRecovery())
        let again = try crashed.openWithBulkIngest()
        for token in 1...5 as ClosedRange<UInt8> {
            #expect(try again.device(.id(deviceID(UInt64(token))), of: game)?.address == address(token))
        }
        #expect(try again.verify() == [])
        #expect(try again.apply(.register(6)) == .registered(deviceID(6), .created, ended: nil))
    }

    /// A process that was killed, and a kill of the next one, and so on: each start goes on from either commit.
    @Test func `a crash after any change loses no answered change`() throws {
        let registry = try scratch.openWithBulkIngest()
        for number in 1...12 as ClosedRange<UInt8> {
            try registry.apply(.register(number))
            let crashed = try scratch.crashed()
            #expect(try crashed.openWithBulkIngest().device(byToken(number), of: game)?.id == deviceID(UInt64(number)))
            if number % 3 != 0 { try registry.checkpoint() }
            let checkpointed = try scratch.crashed()
            let again = try checkpointed.openWithBulkIngest()
            #expect(try again.device(byToken(number), of: game)?.id == deviceID(UInt64(number)))
            #expect(try again.verify() == [])
        }
    }

    /// A copy that is being made may have begun with the commit that is dropped. `carillon-dump` recovers without a
    /// log.
    @Test(arguments: [false, true]) func `a start reports the commit that it drops`(usesLog: Bool) throws {
        let registry = try scratch.openWithBulkIngest()
        for token in 1...3 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            try registry.checkpoint()
        }
        let crashed = try scratch.crashed()
        func starts() throws -> UInt64 {
            let registry = try LMDBRegistry(reading: crashed.path)
            defer { registry.close() }
            return try registry.readAfterCheckpoint { try $1.meta.startCount(in: $0) }
        }
        let before = try starts()
        try crashed.open { $0.usesLog = usesLog }.close()
        #expect(try starts() == before + 1)
    }

    @Test func `after the log was emptied no commit is dropped`() throws {
        let registry = try scratch.openWithBulkIngest()
        for token in 1...3 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            try registry.checkpoint()
        }
        registry.close()
        let directory = try WALDirectory(path: scratch.path)
        #expect(try WALInspection.durableCommits(in: directory) == .all)
        #expect(try !OfflineDatabase(at: scratch.path).needsRecovery())
    }

    @Test func `a log is cut also if the newest commit was lost`() throws {
        let registry = try scratch.openWithBulkIngest()
        for token in 1...3 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            try registry.checkpoint()
        }
        for token in 4...6 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
        let crashed = try scratch.crashed()
        var damaged = try Data(contentsOf: crashed.file("data.wal"))
        let report = try WALReport(at: crashed.path)
        #expect(report.lastLSN == 6)
        // Record 5 may be anywhere in the file.
        let file = try #require(try WALDirectory(path: crashed.path).openLog(isReadOnly: true))
        let start = try #require(
            try stride(from: 4_096, to: damaged.count, by: 4_096).first {
                try WALRecord.probe(at: $0, in: file)?.lsn == 5
            })
        damaged[start + 60] ^= 1
        try damaged.write(to: crashed.file("data.wal"))
        #expect(throws: RegistryError.self) { try crashed.openWithBulkIngest() }
        #expect(try WALCutter(at: crashed.path).cut() != nil)
        let again = try crashed.openWithBulkIngest()
        #expect(try again.device(byToken(4), of: game)?.id == deviceID(4))
        #expect(try again.device(byToken(5), of: game) == nil)
        #expect(try again.verify() == [])
    }
}
