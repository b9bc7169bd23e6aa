import CarillonTestKit
import Foundation
import Testing

@testable import CarillonLMDB

/// Commits that reach the disk later, and what a start drops of them.
struct LMDBEnvironmentUnsyncedCommitTests {
    private let scratch = LMDBDirectory()

    private var file: URL { URL(fileURLWithPath: scratch.path + "/data.mdb") }

    /// Makes commits that do not wait for the disk. Each sets one key to its number. Returns the number of the
    /// last commit.
    private func commit(_ values: ClosedRange<UInt8>) throws -> UInt64 {
        let environment = try scratch.open()
        let database = try environment.openDatabase("one", ifMissing: .create)
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

    /// Overwrites the pages that have changed since the file was `older`, as if they had not reached the disk.
    private func losePages(changedSince older: Data) throws {
        var lost = try Data(contentsOf: file)
        for start in stride(from: 8_192, to: lost.count, by: 4_096) {
            let page = start..<start + 4_096
            guard start >= older.count || lost[page] != older[page] else { continue }
            lost.replaceSubrange(page, with: Data(count: 4_096))
        }
        try lost.write(to: file)
    }

    @Test func `the commit after a durable one is dropped`() throws {
        let durable = try commit(1...5)
        let before = try Data(contentsOf: file)
        #expect(try commit(6...6) == durable + 1)
        try losePages(changedSince: before)
        #expect(throws: LMDBError.self) { try scratch.open() }
        try DataFile.dropCommit(after: durable, in: scratch.path)
        #expect(try value() == 5)
        // The next commit takes the number and the place of the one that was dropped.
        #expect(try commit(7...7) == durable + 1)
        #expect(try value() == 7)
    }

    @Test func `a second drop changes nothing`() throws {
        let durable = try commit(1...5)
        _ = try commit(6...6)
        for _ in 1...3 { try DataFile.dropCommit(after: durable, in: scratch.path) }
        #expect(try value() == 5)
    }

    @Test(arguments: [-3, -2, 0, 1, 2] as [Int64]) func `no other commit is dropped`(distance: Int64) throws {
        let newest = try commit(1...5)
        try DataFile.dropCommit(after: UInt64(Int64(newest) + distance), in: scratch.path)
        #expect(try value() == 5)
    }

    @Test func `a missing file and a file without a commit are left alone`() throws {
        try DataFile.dropCommit(after: 1, in: scratch.path)
        #expect(!FileManager.default.fileExists(atPath: file.path))
        _ = try scratch.open()
        let before = try Data(contentsOf: file)
        for number in [0, 1, .max] as [UInt64] {
            try DataFile.dropCommit(after: number, in: scratch.path)
            #expect(try Data(contentsOf: file) == before, "after \(number)")
        }
    }

    @Test func `a file of random bytes is refused`() throws {
        _ = try commit(1...2)
        try Data(repeating: 0xEE, count: 8_192).write(to: file)
        #expect(throws: LMDBError.self) { try DataFile.dropCommit(after: 1, in: scratch.path) }
    }
}
