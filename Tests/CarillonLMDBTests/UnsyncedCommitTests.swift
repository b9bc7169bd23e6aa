import CarillonTestKit
import Foundation
import Testing

@testable import CarillonLMDB

/// Commits that reach the disk later, and what a start drops of them.
struct UnsyncedCommitTests {
    private let scratch = Scratch()

    private var file: URL { URL(fileURLWithPath: scratch.path + "/data.mdb") }

    /// Makes commits, each of which sets one key to its number, and ends without waiting for the disk. Returns the number
    /// of the last commit.
    private func commit(_ values: ClosedRange<UInt8>) throws -> UInt64 {
        let environment = try scratch.open()
        let database = try environment.openDatabase("one", create: true)
        try environment.setSyncsCommits(false)
        var number: UInt64 = 0
        for value in values {
            try environment.write { (transaction) throws in
                number = transaction.number
                try transaction.put([value].span, for: bigEndian(1).span, in: database)
            }
            try environment.sync()
        }
        return number
    }

    private func value() throws -> UInt8? {
        let environment = try scratch.open()
        let database = try environment.openDatabase("one")
        return try environment.read { try $0.get(bigEndian(1).span, in: database) { $0[0] } }
    }

    /// Overwrites the pages that only the newest commit has: its changed pages have not reached the disk.
    private func losePages(behind: Data) throws {
        var lost = try Data(contentsOf: file)
        for start in stride(from: 8_192, to: lost.count, by: 4_096) {
            let page = start..<start + 4_096
            guard start >= behind.count || lost[page] != behind[page] else { continue }
            lost.replaceSubrange(page, with: Data(count: 4_096))
        }
        try lost.write(to: file)
    }

    @Test func theCommitAfterADurableOneIsDropped() throws {
        let durable = try commit(1...5)
        let before = try Data(contentsOf: file)
        #expect(try commit(6...6) == durable + 1)
        try losePages(behind: before)
        #expect(throws: LMDBError.self) { try scratch.open() }
        try DataFile.dropCommit(after: durable, in: scratch.path)
        #expect(try value() == 5)
        // The next one takes its number and its place.
        #expect(try commit(7...7) == durable + 1)
        #expect(try value() == 7)
    }

    @Test func droppingTwiceIsDroppingOnce() throws {
        let durable = try commit(1...5)
        _ = try commit(6...6)
        for _ in 1...3 { try DataFile.dropCommit(after: durable, in: scratch.path) }
        #expect(try value() == 5)
    }

    @Test(arguments: [-3, -2, 0, 1, 2] as [Int64]) func noOtherCommitIsDropped(distance: Int64) throws {
        let newest = try commit(1...5)
        try DataFile.dropCommit(after: UInt64(Int64(newest) + distance), in: scratch.path)
        #expect(try value() == 5)
    }

    @Test func thereMayBeNoCommitAndNoFile() throws {
        try DataFile.dropCommit(after: 1, in: scratch.path)
        _ = try scratch.open()
        for number in [0, 1, .max] as [UInt64] { try DataFile.dropCommit(after: number, in: scratch.path) }
        _ = try scratch.open()
    }

    @Test func aFileOfNoiseIsRefused() throws {
        _ = try commit(1...2)
        try Data(repeating: 0xEE, count: 8_192).write(to: file)
        #expect(throws: LMDBError.self) { try DataFile.dropCommit(after: 1, in: scratch.path) }
    }
}

/// The pages that a transaction has changed, as they are estimated.
struct ChangeTallyTests {
    private let scratch = Scratch()

    /// The estimate for so many rows, and the pages that the commit has written.
    private func pages(of keys: [UInt32], valueBytes: Int = 60) throws -> (estimated: Int, written: Int) {
        let environment = try scratch.open(mapBytes: 256 << 20)
        let database = try environment.openDatabase("one", create: true)
        let before = try environment.space().usedPages
        let value = [UInt8](repeating: 5, count: valueBytes)
        var estimated = 0
        try environment.write { (transaction) throws in
            for key in keys {
                let key = bigEndian(7) + bigEndian(0) + bigEndian(key)
                try transaction.put(value.span, for: key.span, in: database)
            }
            estimated = try transaction.changedPages()
        }
        return (estimated, try environment.space().usedPages - before)
    }

    @Test func rowsBesideEachOtherShareTheirPages() throws {
        let (estimated, written) = try pages(of: Array(1...50_000))
        #expect(estimated >= written / 2 && estimated <= 3 * written, "\(estimated) of \(written)")
    }

    @Test func rowsAnywhereHaveAPageEach() throws {
        _ = try pages(of: Array(1...50_000))
        // Each is far from the one before.
        let (estimated, _) = try pages(of: (1...500).map { $0 &* 7_919 % 50_000 })
        #expect(estimated > 300)
    }
}
