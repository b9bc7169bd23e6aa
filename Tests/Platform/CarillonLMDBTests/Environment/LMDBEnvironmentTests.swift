import Foundation
import Testing

@testable import CarillonLMDB

/// An environment with its files: its map, which grows, its locks, its copies and its readers.
struct LMDBEnvironmentTests {
    let scratch = LMDBDirectory()

    private func fill(_ environment: LMDBEnvironment, database: Database, rows: UInt32) throws {
        let value = [UInt8](repeating: 5, count: 1_000)
        try environment.write { (transaction) throws in
            for number in 0..<rows { try transaction.put(value.span, for: bigEndian(number).span, in: database) }
        }
    }

    @Test func `the names of all databases are known`() throws {
        let environment = try scratch.open()
        #expect(try environment.databaseNames() == [])
        for name in ["b", "a", "ab"] { _ = try environment.openDatabase(name, ifMissing: .create) }
        #expect(try environment.databaseNames() == ["a", "ab", "b"])
    }

    @Test func `a full map aborts, grows and takes the batch again`() throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let error = #expect(throws: LMDBError.self) { try fill(environment, database: database, rows: 2_000) }
        #expect(error?.code == .mapFull, "2 MB do not fit into 1 MiB")
        #expect(try environment.read { try $0.count(in: database) } == 0)
        try environment.growMap(to: 8 << 20)
        #expect(try environment.space().mapBytes == 8 << 20)
        try fill(environment, database: database, rows: 2_000)
        #expect(try environment.read { try $0.count(in: database) } == 2_000)
    }

    @Test func `a map grows to its limit and no further`() throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let value = [UInt8](repeating: 5, count: 1_000)
        var runs = 0
        func fill(rows: UInt32) throws {
            try environment.write(growingTo: 6 << 20) { transaction in
                runs += 1
                for number in 0..<rows { try transaction.put(value.span, for: bigEndian(number).span, in: database) }
            }
        }
        try fill(rows: 3_000)
        #expect(runs == 3, "1, 2 and 4 MiB")
        #expect(try environment.read { try $0.count(in: database) } == 3_000)
        #expect(throws: LMDBError.self) { try fill(rows: 9_000) }
        #expect(try environment.space().mapBytes == 6 << 20)
        #expect(try environment.read { try $0.count(in: database) } == 3_000)
        #expect(try !environment.tryToGrowMap(upTo: 6 << 20))
    }

    @Test func `an error of the body grows no map`() throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try environment.write(growingTo: 8 << 20) { _ in throw Refusal() } }
        #expect(try environment.space().mapBytes == 1 << 20)
    }

    /// The pages are made one by one, so that they do not lie in one folio of the system's cache.
    @Test(arguments: [16, 1_024])
    func `the end of a growing file is made before it is written`(mapMebibytes: Int) throws {
        let environment = try scratch.open(mapBytes: mapMebibytes << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let value = [UInt8](repeating: 5, count: 1_000)
        var ahead: [Int] = []
        for round in 0..<10 as Range<UInt32> {
            try environment.write { (transaction) throws in
                for number in 0..<1_000 as Range<UInt32> {
                    try transaction.put(value.span, for: bigEndian(round * 1_000 + number).span, in: database)
                }
            }
            let space = try environment.space()
            let file = try FileManager.default.attributesOfItem(atPath: scratch.path + "/data.mdb")
            let length = try #require(file[.size] as? Int)
            #expect(length <= mapMebibytes << 20)
            ahead.append(length - space.usedPages * space.pageBytes)
        }
        #expect(ahead[0] == 0)
        // A thousand rows of a kilobyte take a megabyte; the next ones find their pages there.
        #expect(ahead.contains { $0 > 500_000 })
        #expect(try environment.read { try $0.count(in: database) } == 10_000)
        #expect(try environment.read { try $0.get(bigEndian(9_999).span, in: database) } == value)
    }

    @Test func `few rows allocate no further pages`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        for _ in 0..<20 { try fill(environment, database: database, rows: 1) }
        let space = try environment.space()
        let file = try FileManager.default.attributesOfItem(atPath: scratch.path + "/data.mdb")
        #expect(file[.size] as? Int == space.usedPages * space.pageBytes)
    }

    @Test func `a swallowed error cannot be committed`() throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let value = [UInt8](repeating: 5, count: 2 << 20)
        #expect(throws: LMDBError(.badTransaction, operation: "mdb_txn_commit")) {
            try environment.write { (transaction) throws in
                // Why try?: the test is about a closure that swallows the error.
                try? transaction.put(value.span, for: bytes("k").span, in: database)
            }
        }
    }

    @Test func `a grown map stays grown when opened again`() throws {
        do {
            let environment = try scratch.open(mapBytes: 1 << 20)
            let database = try environment.openDatabase("plain", ifMissing: .create)
            try environment.growMap(to: 8 << 20)
            try fill(environment, database: database, rows: 1)
        }
        #expect(try scratch.open(mapBytes: 1 << 20).space().mapBytes == 8 << 20)
    }

    @Test func `a second opening in this process is refused`() throws {
        let environment = try scratch.open()
        #expect(throws: LMDBError(.alreadyOpen, operation: "open")) { _ = try scratch.open() }
        #expect(environment.path == scratch.path)
    }

    /// A file system gives the number of a directory that is gone to the next one that is made: while an environment of
    /// the first was being closed, the second was taken for it.
    @Test func `a new directory is not taken for a locked one that is gone`() throws {
        try StorageDirectory.create(scratch.path)
        let lock = try ProcessDirectoryLock(path: scratch.path)
        for _ in 0..<3 {
            try FileManager.default.removeItem(atPath: scratch.path)
            try StorageDirectory.create(scratch.path)
            #expect(throws: Never.self) { _ = try ProcessDirectoryLock(path: scratch.path) }
        }
        _ = consume lock
    }

    @Test func `opening a missing directory or database throws`() throws {
        #expect(throws: LMDBError(.noSuchFile, operation: "open")) { _ = try LMDBEnvironment(path: scratch.path) }
        let environment = try scratch.open()
        #expect(throws: LMDBError(.notFound, operation: "mdb_dbi_open")) { _ = try environment.openDatabase("none") }
    }

    @Test func `another process reads beside the writer`() async throws {
        let path = scratch.path
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try fill(environment, database: database, rows: 3)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let environment = try LMDBEnvironment(path: path, options: .reading)
            let database = try environment.openDatabase("plain")
            #expect(try environment.read { try $0.count(in: database) } == 3)
            #expect(throws: LMDBError(.accessDenied, operation: "mdb_txn_begin")) { try environment.write { _ in } }
        }
        try fill(environment, database: database, rows: 4)
        #expect(try environment.read { try $0.count(in: database) } == 4)
    }

    @Test func `a reader follows a map that another process has grown`() async throws {
        let path = scratch.path
        do {
            let environment = try scratch.open(mapBytes: 1 << 20)
            _ = try environment.openDatabase("plain", ifMissing: .create)
        }
        let environment = try LMDBEnvironment(path: path, options: .reading)
        let database = try environment.openDatabase("plain")
        #expect(try environment.read { try $0.count(in: database) } == 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let environment = try LMDBEnvironment(path: path, options: .writing(mapBytes: 8 << 20))
            let database = try environment.openDatabase("plain")
            let value = [UInt8](repeating: 5, count: 4 << 20)
            try environment.write { try $0.put(value.span, for: bytes("big").span, in: database) }
        }
        #expect(try environment.read { try $0.get(bytes("big").span, in: database) { $0.count } } == 4 << 20)
    }

    @Test(arguments: [false, true])
    func `a hot copy opens and has the same rows`(compacting: Bool) throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try fill(environment, database: database, rows: 100)
        let backup = LMDBDirectory()
        try environment.copy(to: backup.path, compacting: compacting)
        #expect(throws: LMDBError(.fileExists, operation: "mdb_env_copy2")) { try environment.copy(to: backup.path) }
        let copy = try LMDBEnvironment(path: backup.path, options: .reading)
        let copied = try copy.openDatabase("plain")
        #expect(try copy.read { try $0.count(in: copied) } == 100)
    }

    @Test func `statistics show the oldest reader and free pages`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try fill(environment, database: database, rows: 100)
        #expect(try environment.statistics().oldestReaderTransaction == nil)
        try environment.read { (_) throws in
            try fill(environment, database: database, rows: 100)
            let statistics = try environment.statistics()
            #expect(statistics.activeReaders == 1)
            #expect(statistics.oldestReaderAgeInCommits == 1)
        }
        #expect(try environment.statistics().activeReaders == 0)
        #expect(try environment.countFreePages() > 20)
        #expect(try environment.countFreePages() < environment.space().usedPages)
        #expect(try environment.clearDeadReaders() == 0)
        try environment.sync()
    }

    @Test func `many threads read whole commits while one writes and grows`() async throws {
        let environment = try scratch.open(mapBytes: 1 << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { @concurrent in
                    for _ in 0..<2_000 {
                        // Both keys are always written together.
                        let (first, second) = try environment.read { (transaction) throws in
                            (try transaction.get([1].span, in: database), try transaction.get([2].span, in: database))
                        }
                        #expect(first == second)
                    }
                }
            }
            group.addTask { @concurrent in
                for number in 0..<UInt32(100) {
                    try environment.write { (transaction) throws in
                        try transaction.put(bigEndian(number).span, for: [1].span, in: database)
                        try transaction.put(bigEndian(number).span, for: [2].span, in: database)
                    }
                    if number % 10 == 9 { try environment.growMap(to: Int(number) << 20) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try environment.read { try $0.get([2].span, in: database) } == bigEndian(99))
        #expect(try environment.space().mapBytes == 99 << 20)
    }
}
