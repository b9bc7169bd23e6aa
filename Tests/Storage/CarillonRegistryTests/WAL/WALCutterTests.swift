import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// A damaged log keeps the records before its damage.
struct WALCutterTests {
    private let scratch = RegistryDirectory()

    @Test func `a damaged log is cut before its damage`() throws {
        let crashed = try scratch.crashed(records: 5)
        var damaged = try Data(contentsOf: crashed.file("data.wal"))
        damaged[4_096 * 3 + 50] ^= 1
        try damaged.write(to: crashed.file("data.wal"))
        #expect(crashed.refusal().contains("record 3 cannot be read"))

        let report = try WALReport(at: crashed.path)
        #expect(report.version == 3)
        #expect(report.storedLSN == 0)
        #expect(report.recordCount == 2)
        #expect(report.changeCount == 2)
        #expect(report.lostLSNs == 3...5)
        #expect(!report.isTorn)
        let cut = try WALCutter(at: crashed.path).cut()
        #expect(cut == WALCutter.Cut(keptPath: crashed.file("data.wal.damaged").path))
        #expect(try Data(contentsOf: crashed.file("data.wal.damaged")) == damaged)
        let registry = try crashed.openWithBulkIngest()
        #expect(try registry.device(byToken(2), of: game)?.id == deviceID(2))
        #expect(try registry.device(byToken(3), of: game) == nil)
        // A change after the cut is in the log as usual.
        try registry.apply(.register(9))
        #expect(try crashed.crashed().openWithBulkIngest().device(byToken(9), of: game)?.id == deviceID(3))
    }

    @Test func `a sound log is not cut`() throws {
        let crashed = try scratch.crashed(records: 2)
        let before = try Data(contentsOf: crashed.file("data.wal"))
        #expect(try WALCutter(at: crashed.path).cut() == nil)
        #expect(try Data(contentsOf: crashed.file("data.wal")) == before)
    }

    /// The database knows the secret: the records are not lost with the header.
    @Test func `a log without its header is cut to its records`() throws {
        let crashed = try scratch.crashed(records: 4)
        var damaged = try Data(contentsOf: crashed.file("data.wal"))
        damaged[20] ^= 1
        try damaged.write(to: crashed.file("data.wal"))
        #expect(crashed.refusal().contains("its header cannot be read. Not stored are the records 1 to 4"))
        _ = try WALCutter(at: crashed.path).cut()
        #expect(try crashed.openWithBulkIngest().device(byToken(4), of: game)?.id == deviceID(4))
    }

    @Test func `a log of another registry is cut to nothing`() throws {
        let other = RegistryDirectory()
        let registry = try other.openWithBulkIngest()
        try registry.apply(.register(7))
        let crashed = try scratch.crashed(records: 2)
        try FileManager.default.removeItem(at: crashed.file("data.wal"))
        try FileManager.default.copyItem(at: other.file("data.wal"), to: crashed.file("data.wal"))
        registry.close()
        #expect(crashed.refusal().contains("it belongs to another registry"))
        let report = try WALReport(at: crashed.path)
        #expect(report.lostLSNs == 1...1)
        #expect(try WALCutter(at: crashed.path).cut()?.hasDroppedCommit == true)
        #expect(try crashed.openWithBulkIngest().device(byToken(1), of: game) == nil)
    }
}
