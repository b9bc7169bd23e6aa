import CarillonCore
import CarillonTestKit
import Foundation
import Synchronization
import Testing

@testable import CarillonRegistry

/// Commits that are synced while the writer goes on, and the start after a power cut that has lost one.
struct DeferredSyncTests {
    private let scratch = Scratch()

    private func open(_ scratch: Scratch) throws -> LMDBRegistry {
        try scratch.open {
            $0.wal = .eager
            // No record of its own.
            $0.settings = nil
        }
    }

    @Test func aCommitThatHasNotReachedTheDiskIsMadeAgain() throws {
        let registry = try open(scratch)
        for token in 1...4 as ClosedRange<UInt8> {
            _ = try registry.apply(register(token))
            try registry.checkpoint()
        }
        let before = try Data(contentsOf: scratch.file("data.mdb"))
        try scratch.waitForSync(of: registry)
        _ = try registry.apply(register(5))
        try registry.checkpoint()
        let crashed = try scratch.crashed(losingPagesSince: before)
        #expect(try LMDBRegistry.needsRecovery(at: crashed.path))
        let again = try open(crashed)
        for token in 1...5 as ClosedRange<UInt8> {
            #expect(try again.device(.id(id(UInt64(token))), of: game)?.address == address(token))
        }
        #expect(try again.verify() == [])
        #expect(try again.apply(register(6)) == .registered(id(6), .created, ended: nil))
    }

    /// A process that was killed, and a kill of the next one, and so on: each start goes on from either commit.
    @Test func everyMomentIsAGoodOne() throws {
        let registry = try open(scratch)
        for number in 1...12 as ClosedRange<UInt8> {
            _ = try registry.apply(register(number))
            let crashed = try scratch.crashed()
            #expect(try open(crashed).device(token(number), of: game)?.id == id(UInt64(number)))
            if number % 3 != 0 { try registry.checkpoint() }
            let checkpointed = try scratch.crashed()
            let again = try open(checkpointed)
            #expect(try again.device(token(number), of: game)?.id == id(UInt64(number)))
            #expect(try again.verify() == [])
        }
    }

    /// A copy that is being made may have begun with the commit that is dropped. `carillon-dump` recovers without a log.
    @Test(arguments: [false, true]) func aStartThatDropsACommitCounts(usesLog: Bool) throws {
        let registry = try open(scratch)
        for token in 1...3 as ClosedRange<UInt8> {
            _ = try registry.apply(register(token))
            try registry.checkpoint()
        }
        let crashed = try scratch.crashed()
        func starts() throws -> UInt64 {
            let registry = try LMDBRegistry(reading: crashed.path)
            defer { registry.close() }
            return try registry.read { try $1.meta.starts(in: $0) }
        }
        let before = try starts()
        try crashed.open { $0.wal.isUsed = usesLog }.close()
        #expect(try starts() == before + 1)
    }

    @Test func afterTheLogWasEmptiedNoCommitIsDropped() throws {
        let registry = try open(scratch)
        for token in 1...3 as ClosedRange<UInt8> {
            _ = try registry.apply(register(token))
            try registry.checkpoint()
        }
        registry.close()
        let directory = try WALDirectory(path: scratch.path)
        #expect(try WALInspection.durableCommits(in: directory) == .all)
        #expect(try !LMDBRegistry.needsRecovery(at: scratch.path))
    }

    @Test func aLogIsCutAlsoIfTheNewestCommitWasLost() throws {
        let registry = try open(scratch)
        for token in 1...3 as ClosedRange<UInt8> {
            _ = try registry.apply(register(token))
            try registry.checkpoint()
        }
        for token in 4...6 as ClosedRange<UInt8> { _ = try registry.apply(register(token)) }
        let crashed = try scratch.crashed()
        var damaged = try Data(contentsOf: crashed.file("journal"))
        let report = try LMDBRegistry.logReport(at: crashed.path)
        #expect(report.lastLSN == 6)
        // The sector of record 5, wherever it is.
        let file = try #require(try WALDirectory(path: crashed.path).openLog(isReadOnly: true))
        let start = try #require(
            try stride(from: 4_096, to: damaged.count, by: 4_096).first {
                try WALRecord.probe(at: $0, in: file)?.lsn == 5
            })
        damaged[start + 60] ^= 1
        try damaged.write(to: crashed.file("journal"))
        #expect(throws: RegistryError.self) { try open(crashed) }
        #expect(try LMDBRegistry.cutLog(at: crashed.path) != nil)
        let again = try open(crashed)
        #expect(try again.device(token(4), of: game)?.id == id(4))
        #expect(try again.device(token(5), of: game) == nil)
        #expect(try again.verify() == [])
    }
}

/// Damage of a log that may have said that the newest commit is not on the disk.
struct UnknownDurableCommitTests {
    private func open(_ scratch: Scratch) throws -> LMDBRegistry {
        try scratch.open {
            $0.wal = .eager
            // No record of its own.
            $0.settings = nil
        }
    }

    /// Four devices in commits that are on the disk, a fifth in one whose pages are lost if `isTorn`, and a sixth in the
    /// log alone.
    private func crashed(isTorn: Bool) throws -> Scratch {
        for _ in 1...100 {
            let scratch = Scratch()
            let registry = try open(scratch)
            for token in 1...4 as ClosedRange<UInt8> {
                _ = try registry.apply(register(token))
                try registry.checkpoint()
            }
            let (before, durable) = (try Data(contentsOf: scratch.file("data.mdb")), try scratch.newestCommit())
            try scratch.waitForSync(of: registry)
            _ = try registry.apply(register(5))
            try registry.checkpoint()
            _ = try registry.apply(register(6))
            guard isTorn else { return try scratch.crashed() }
            // Sometimes the sync is quick, and the last record says that nothing can be lost.
            if try scratch.durableCommits() == durable { return try scratch.crashed(losingPagesSince: before) }
        }
        throw RegistryError.storageFailed("each sync ended before the next record")
    }

    private func devices(of scratch: Scratch) throws -> [UInt64] {
        let registry = try open(scratch)
        #expect(try registry.verify() == [])
        return try (1...6 as ClosedRange<UInt8>).compactMap { try registry.device(token($0), of: game)?.id.rawValue }
    }

    @Test(arguments: [false, true]) func withoutALogTheCommitBeforeTheNewestStays(isTorn: Bool) throws {
        let crashed = try crashed(isTorn: isTorn)
        try FileManager.default.removeItem(at: crashed.file("journal"))
        #expect(throws: RegistryError.self) { try open(crashed) }
        #expect(try LMDBRegistry.logReport(at: crashed.path).damage?.contains("it is missing") == true)
        #expect(try LMDBRegistry.cutLog(at: crashed.path) == LMDBRegistry.LogCut(hasDroppedCommit: true))
        #expect(try devices(of: crashed) == [1, 2, 3, 4])
    }

    @Test func theToolGoesBackToo() throws {
        let crashed = try crashed(isTorn: true)
        try FileManager.default.removeItem(at: crashed.file("journal"))
        #expect(try DumpCommand.run("log", "--data", crashed.path).status == 6)
        let cut = try DumpCommand.run("log", "--cut", "--data", crashed.path)
        #expect(cut.status == 0)
        #expect(cut.complaint.contains("the newest checkpoint of data.mdb was given up"), "\(cut.complaint)")
        #expect(try devices(of: crashed) == [1, 2, 3, 4])
    }

    @Test(arguments: [false, true]) func withoutTheHeaderOfTheLogNothingIsLost(isTorn: Bool) throws {
        let crashed = try crashed(isTorn: isTorn)
        var damaged = try Data(contentsOf: crashed.file("journal"))
        damaged[20] ^= 1
        try damaged.write(to: crashed.file("journal"))
        #expect(throws: RegistryError.self) { try open(crashed) }
        let cut = try LMDBRegistry.cutLog(at: crashed.path)
        #expect(cut?.keptPath == crashed.file("journal.damaged").path)
        #expect(try devices(of: crashed) == [1, 2, 3, 4, 5, 6])
    }
}

/// Which commit may have a deferred sync.
struct DeferredSyncRuleTests {
    @Test func theCommitAfterTheDurableOneInTheLastRecord() {
        var rule = DeferredSyncRule()
        #expect(!rule.mayDeferSync(of: 1), "no record says anything")
        rule.durableCommit = 10
        #expect(!rule.mayDeferSync(of: 11))
        rule.willAppend()
        #expect(!rule.mayDeferSync(of: 11), "a power cut may leave no record")
        rule.appended()
        #expect(rule.mayDeferSync(of: 11))
        #expect(!rule.mayDeferSync(of: 12))
        // Commit 11 has reached the disk, and no record says so.
        rule.durableCommit = 11
        #expect(!rule.mayDeferSync(of: 12))
        rule.willAppend()
        #expect(!rule.mayDeferSync(of: 12), "the last record is the old one or the new one")
        rule.appended()
        #expect(rule.mayDeferSync(of: 12))
        rule.forbidDeferredSync()
        #expect(!rule.mayDeferSync(of: 12))
    }

    @Test func alsoWhileARecordWithTheSameNumberIsAppended() {
        var rule = DeferredSyncRule()
        rule.durableCommit = 10
        rule.willAppend()
        rule.appended()
        rule.willAppend()
        #expect(rule.mayDeferSync(of: 11))
    }
}
