import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// Damage of a log that may have said that the newest commit is not on the disk.
struct WALDamageUnknownCommitTests {
    /// Makes four devices in commits that are on the disk, a fifth in one whose pages are lost if `isTorn`, and a sixth
    /// in the log alone.
    private func crashed(isTorn: Bool) throws -> RegistryDirectory {
        for _ in 1...100 {
            let scratch = RegistryDirectory()
            let registry = try scratch.openWithBulkIngest()
            for token in 1...4 as ClosedRange<UInt8> {
                try registry.apply(.register(token))
                try registry.checkpoint()
            }
            let (before, durable) = (try Data(contentsOf: scratch.file("data.mdb")), try scratch.newestCommit())
            try scratch.waitForSync(of: registry)
            try registry.apply(.register(5))
            try registry.checkpoint()
            try registry.apply(.register(6))
            guard isTorn else { return try scratch.crashed() }
            // Sometimes the sync is quick, and the last record says that nothing can be lost.
            if try scratch.durableCommits() == durable { return try scratch.crashed(losingPagesSince: before) }
        }
        throw RegistryError.storageFailed("each sync ended before the next record")
    }

    private func devices(of scratch: RegistryDirectory) throws -> [UInt64] {
        let registry = try scratch.openWithBulkIngest()
        #expect(try registry.verify() == [])
        return try (1...6 as ClosedRange<UInt8>).compactMap { try registry.device(byToken($0), of: game)?.id.rawValue }
    }

    @Test(arguments: [false, true]) func `without a log the commit before the newest stays`(isTorn: Bool) throws {
        let crashed = try crashed(isTorn: isTorn)
        try FileManager.default.removeItem(at: crashed.file("data.wal"))
        #expect(throws: RegistryError.self) { try crashed.openWithBulkIngest() }
        #expect(try WALReport(at: crashed.path).damage?.contains("it is missing") == true)
        #expect(try WALCutter(at: crashed.path).cut() == WALCutter.Cut(hasDroppedCommit: true))
        #expect(try devices(of: crashed) == [1, 2, 3, 4])
    }

    @Test(arguments: [false, true]) func `without the header of the log nothing is lost`(isTorn: Bool) throws {
        let crashed = try crashed(isTorn: isTorn)
        var damaged = try Data(contentsOf: crashed.file("data.wal"))
        damaged[20] ^= 1
        try damaged.write(to: crashed.file("data.wal"))
        #expect(throws: RegistryError.self) { try crashed.openWithBulkIngest() }
        let cut = try WALCutter(at: crashed.path).cut()
        #expect(cut?.keptPath == crashed.file("data.wal.damaged").path)
        #expect(try devices(of: crashed) == [1, 2, 3, 4, 5, 6])
    }
}
