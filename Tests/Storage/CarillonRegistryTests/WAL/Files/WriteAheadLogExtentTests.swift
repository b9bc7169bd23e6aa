import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// Records that are in many extents of the log, because each segment fills the gaps of the one before.
struct WriteAheadLogExtentTests {
    private let directory = WALTestDirectory()

    @Test func `a log of many extents is replayed whole`() throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.openWithBulkIngest()
        // The newest commit may not be on the disk: the start goes on from the one before, with the last 66 records.
        for count in 1...66 as ClosedRange<UInt8> {
            for _ in 0..<2 {
                for number in 1...count { try registry.apply(.register(number, locale: "l\(count)")) }
                try registry.checkpoint()
            }
        }
        let crashed = try scratch.crashed()
        #expect(try WALReport(at: crashed.path).damage == nil)
        let again = try crashed.openWithBulkIngest()
        for number in 1...66 as ClosedRange<UInt8> {
            #expect(try again.device(byToken(number), of: game)?.locale == "l66")
        }
        #expect(try again.verify() == [])
    }

    /// Makes the header of a log, and records from it on that begin one sector each.
    private func records(_ count: Int, in order: (Int) -> Int) throws -> Data {
        _ = try directory.openPrepared()
        var bytes = try Data(contentsOf: directory.file).prefix(56) + Data(count: 4_096 * (count + 1) - 56)
        let secret = bytes[24..<32].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        var state = UUIDBytes(high: 7, low: 7)
        for number in 0..<count {
            let record = WALRecord.encode(
                frames(UInt8(number % 250)), lsn: UInt64(number) + 1, previousState: state, durableCommit: 0,
                secret: secret)
            let start = 4_096 * (order(number) + 1)
            bytes.replaceSubrange(start..<start + record.byteCount, with: record.prefix + record.body)
            state = record.state
        }
        return bytes
    }

    @Test func `records are found in any order`() throws {
        for order in [{ 2_999 - $0 }, { $0 * 7 % 3_000 }] as [(Int) -> Int] {
            try records(3_000, in: order).write(to: directory.file)
            let tokens = try directory.replayed(state: UUIDBytes(high: 7, low: 7)).flatMap { $0 }
            #expect(tokens == (0..<3_000).map { UInt8($0 % 250) })
            #expect(try directory.scan().recordCount == 3_000)
        }
    }

    @Test func `a damaged record is found in any order`() throws {
        var bytes = try records(500) { 499 - $0 }
        // Record 101.
        bytes[4_096 * 400 + 60] ^= 1
        try bytes.write(to: directory.file)
        let scan = try directory.scan()
        #expect(scan.recordCount == 100)
        #expect(scan.lastLSN == 100)
        #expect(!scan.isTorn)
        let lost = WALDamage.LostRecords(first: 101, last: 500, readableCount: 399, changeCount: 399)
        #expect(scan.damage == WALDamage(.unreadable(101), lost: lost))
    }

    /// The log of an earlier start is continued after all of its records, in whatever order they are.
    @Test func `a log continues behind the last of its extents`() throws {
        let state = UUIDBytes(high: 7, low: 7)
        try records(3) { 2 - $0 }.write(to: directory.file)
        let log = try directory.open(stored: StoredWAL(position: WALPosition(state: state)))
        #expect(try log.replayed(after: WALPosition(state: state)) == [[0], [1], [2]])
        for token in 3...5 as ClosedRange<UInt8> { _ = try log.append(frames(token)) }
        #expect(try directory.replayed(state: state) == [[0], [1], [2], [3], [4], [5]])
    }
}
