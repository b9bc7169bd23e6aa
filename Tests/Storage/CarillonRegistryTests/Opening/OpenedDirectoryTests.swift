import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonWire
import Foundation
import Synchronization
import Testing

@testable import CarillonRegistry

/// Files of a data directory that do not belong together, and how to go on.
struct OpenedDirectoryTests {
    private let scratch = RegistryDirectory()

    private func open(_ scratch: RegistryDirectory, notices: Notices? = nil) throws -> LMDBRegistry {
        try scratch.openWithBulkIngest { if let notices { $0.onWALNotice = notices.record } }
    }

    @Test(arguments: [false, true]) func `a database that is missing beside a log is not made again`(isEmpty: Bool)
        throws
    {
        let crashed = try scratch.crashed(records: 3)
        try FileManager.default.removeItem(atPath: crashed.path + "/data.mdb")
        if isEmpty { try Data().write(to: crashed.file("data.mdb")) }
        #expect(crashed.refusal().contains("data.mdb is missing or empty. Not stored are the records 1 to 3"))
        try FileManager.default.moveItem(at: crashed.file("data.wal"), to: crashed.file("elsewhere"))
        #expect(try open(crashed).apply(.register(9)) == .registered(deviceID(1), .created, ended: nil))
    }

    /// The log has the changes since the commit before the newest one. Of an older database it lacks some: ids would be
    /// given to other devices.
    @Test func `an older database is not given the changes of a younger log`() throws {
        let registry = try open(scratch)
        try registry.apply(.register(1))
        try registry.checkpoint()
        let older = try scratch.crashed()
        for token in 2...4 as ClosedRange<UInt8> {
            try registry.apply(.register(token))
            try registry.checkpoint()
        }
        try registry.apply(.register(5))
        let younger = try scratch.crashed()
        try FileManager.default.removeItem(at: older.file("data.wal"))
        try FileManager.default.copyItem(at: younger.file("data.wal"), to: older.file("data.wal"))
        #expect(older.refusal().contains("it does not follow on what is stored"))
        #expect(try open(younger).device(.id(deviceID(5)), of: game)?.address == address(5))
    }

    @Test func `a log that is removed while it is used is replaced`() throws {
        let notices = Notices()
        let registry = try open(scratch, notices: notices)
        for token in 1...5 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
        try FileManager.default.removeItem(at: scratch.file("data.wal"))
        for token in 6...9 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
        #expect(notices.take() == [.replaced])
        let crashed = try scratch.crashed()
        #expect(try open(crashed).device(byToken(9), of: game)?.id == deviceID(9))
        #expect(try open(crashed).device(byToken(1), of: game)?.id == deviceID(1))
    }

    /// The log may have had changes, so the start is refused.
    @Test func `a log that is missing after a crash is reported`() throws {
        let crashed = try scratch.crashed(records: 3)
        try FileManager.default.removeItem(at: crashed.file("data.wal"))
        #expect(crashed.refusal().contains("it is missing"))
        #expect(try WALCutter(at: crashed.path).cut() == WALCutter.Cut(hasDroppedCommit: true))
        #expect(try open(crashed).device(byToken(1), of: game) == nil)
    }

    @Test func `a log that is missing after a regular end is not reported`() throws {
        let registry = try open(scratch)
        try registry.apply(.register(1))
        registry.close()
        try FileManager.default.removeItem(at: scratch.file("data.wal"))
        let before = try Data(contentsOf: scratch.file("data.mdb"))
        #expect(try WALCutter(at: scratch.path).cut() == nil)
        #expect(try Data(contentsOf: scratch.file("data.mdb")) == before)
        #expect(try open(scratch).device(byToken(1), of: game)?.id == deviceID(1))
    }

    @Test(arguments: [false, true]) func `a copy of the database opens without a log`(isCompact: Bool) throws {
        let registry = try open(scratch)
        try registry.apply(.register(1))
        let copy = RegistryDirectory()
        try registry.copy(to: copy.path, compacting: isCompact)
        #expect(try !OfflineDatabase(at: copy.path).needsRecovery())
        #expect(try open(copy).device(byToken(1), of: game)?.id == deviceID(1))
    }

    @Test func `replayed and dropped records are reported`() throws {
        let crashed = try scratch.crashed(records: 3)
        let whole = try logContents(at: crashed.path)
        try whole.dropLast(5).write(to: crashed.file("data.wal"))
        let notices = Notices()
        try open(crashed, notices: notices).close()
        #expect(
            notices.take() == [.replayed(records: 2, changes: 2, lastLSN: 2), .dropped(lsn: 3)])
        try open(crashed, notices: notices).close()
        #expect(notices.take() == [])
    }

    // MARK: Older versions

    private func names(of directory: RegistryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
            $0.hasPrefix("data.wal") || $0.hasPrefix("journal")
        }
    }

    /// Programs before the first release called the log `journal`.
    @Test func `a log with the former name is applied under its name of today`() throws {
        let crashed = try scratch.crashed(records: 3)
        try FileManager.default.moveItem(at: crashed.file("data.wal"), to: crashed.file("journal"))
        #expect(try WALReport(at: crashed.path).path == crashed.file("journal").path)
        let registry = try open(crashed)
        #expect(try registry.device(byToken(3), of: game)?.id == deviceID(3))
        #expect(try names(of: crashed) == ["data.wal"])
    }

    @Test func `a damaged log with the former name is cut under its name of today`() throws {
        let crashed = try scratch.crashed(records: 3)
        var damaged = try Data(contentsOf: crashed.file("data.wal"))
        damaged.replaceSubrange(0..<8, with: Data("damaged!".utf8))
        try damaged.write(to: crashed.file("journal"))
        try FileManager.default.removeItem(at: crashed.file("data.wal"))
        #expect(try WALCutter(at: crashed.path).cut()?.keptPath == crashed.file("data.wal.damaged").path)
        #expect(try !names(of: crashed).contains("journal"))
    }

    @Test func `a directory with a log under both names is refused`() throws {
        let crashed = try scratch.crashed(records: 3)
        try FileManager.default.copyItem(at: crashed.file("data.wal"), to: crashed.file("journal"))
        #expect(crashed.refusal().contains("has a write-ahead log twice"))
        try FileManager.default.removeItem(at: crashed.file("journal"))
        #expect(try open(crashed).device(byToken(3), of: game)?.id == deviceID(3))
    }

    /// The database stores no state of a log, and the log has version 1.
    @Test func `a data directory with a log of version 1 opens`() throws {
        let first = try scratch.open { $0.usesLog = false }
        try first.apply(.register(1))
        let epoch = first.epoch
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                for name in ["state", "log"] {
                    _ = try transaction.delete(Array(name.utf8).span, in: tables.meta.database)
                }
            }
        }
        let records = (2...4 as ClosedRange<UInt8>).map { token in
            var frames = FrameWriter()
            ChangeRecordCodec.append(.change(.register(token)), to: &frames)
            return frames.bytes
        }
        try OldLog(epoch: epoch, secret: 5).bytes(records, firstLSN: 1).write(to: scratch.file("journal"))
        let registry = try open(scratch)
        #expect(try registry.device(byToken(4), of: game)?.id == deviceID(4))
        try registry.apply(.register(5))
        let crashed = try scratch.crashed()
        #expect(try Data(contentsOf: crashed.file("data.wal")).prefix(8) == Data("CRLNWAL3".utf8))
        let again = try open(crashed)
        #expect(try again.device(byToken(5), of: game)?.id == deviceID(5))
        #expect(try again.verify() == [])
    }
}

/// The notices of a registry about its log.
final class Notices: Sendable {
    private let notices = Mutex<[WALNotice]>([])

    @Sendable func record(_ notice: WALNotice) { notices.withLock { $0.append(notice) } }

    /// Takes all notices since the last call.
    func take() -> [WALNotice] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }
}
