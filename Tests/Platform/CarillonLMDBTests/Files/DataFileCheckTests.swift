import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonLMDB

/// The file is checked before LMDB maps it.
struct DataFileCheckTests {
    /// The size of the header of a meta page, and of its `MDB_meta`.
    private static let metaBytes = 152

    private let scratch = LMDBDirectory()

    private var file: URL { URL(fileURLWithPath: scratch.path + "/data.mdb") }

    /// Writes rows into two tables and removes some of them, in several commits.
    private func fill(rows: UInt32 = 500) throws {
        let environment = try scratch.open()
        let databases = try ["one", "two"].map { try environment.openDatabase($0, ifMissing: .create) }
        let value = [UInt8](repeating: 5, count: 200)
        for start in stride(from: 0, to: rows, by: 100) {
            try environment.write { (transaction) throws in
                for number in start..<min(start + 100, rows) {
                    for database in databases {
                        try transaction.put(value.span, for: bigEndian(number).span, in: database)
                    }
                }
            }
            try environment.write { (transaction) throws in
                for number in start..<start + 50 {
                    _ = try transaction.delete(bigEndian(number).span, in: databases[1])
                }
            }
        }
    }

    private func refusal(isReadOnly: Bool = true) -> LMDBError? {
        do throws(LMDBError) {
            _ = try LMDBEnvironment(path: scratch.path, options: isReadOnly ? .reading : .writing())
            return nil
        } catch {
            return error
        }
    }

    @Test func `a sound file is accepted`() throws {
        for rows in [0, 1, 99, 500, 3_000] as [UInt32] {
            try fill(rows: rows)
            #expect(refusal() == nil, "\(rows) rows")
        }
    }

    /// LMDB does not write pages that are freed in the transaction that took them: they may be missing at the end.
    @Test func `a file without its last free pages is accepted`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("one", ifMissing: .create)
        let large = [UInt8](repeating: 5, count: 100_000)
        try environment.write { try $0.put(large.span, for: bytes("a").span, in: database) }
        try environment.write { _ = try $0.delete(bytes("a").span, in: database) }
        for number in 0..<4 as Range<UInt32> {
            try environment.write { try $0.put([1].span, for: bigEndian(number).span, in: database) }
        }
        let space = try environment.space()
        let free = try environment.countFreePages()
        _ = consume environment
        let whole = try Data(contentsOf: file)
        var missing = 0
        for pages in (3..<space.usedPages).reversed() {
            try whole.prefix(pages * space.pageBytes).write(to: file)
            guard refusal() == nil else { break }
            missing += 1
        }
        #expect(missing > 10)
        #expect(missing <= free)
    }

    @Test(arguments: [true, false]) func `a file that is cut off is refused with a sentence`(isReadOnly: Bool) throws {
        try fill()
        let whole = try Data(contentsOf: file)
        for count in stride(from: 1, to: whole.count * 3 / 4, by: 5_000) {
            try whole.prefix(count).write(to: file)
            let refusal = refusal(isReadOnly: isReadOnly)
            #expect(refusal?.description.contains("cut off") == true, "\(count) bytes: \(refusal as Any)")
            #expect(try Data(contentsOf: file).count == count, "it stays as it was")
        }
    }

    /// A page that is checked before the file is mapped.
    enum CheckedPage: CaseIterable {
        case firstMeta, secondMeta, tableOfTables, tableOne, tableTwo
    }

    /// Returns the number of a checked page. The places are those of `MDB_meta`, `MDB_node` and `MDB_db` in `mdb.c`.
    private func number(of page: CheckedPage, in whole: Data) throws -> Int {
        func number(at offset: Int) -> Int { (0..<8).reversed().reduce(0) { $0 << 8 | Int(whole[offset + $1]) } }
        let commits = try [0, 4_096].map { try DataFileCheck.meta([UInt8](whole[$0..<$0 + 4_096])).transaction }
        // The root of the table of tables, in the newest meta page.
        let tables = number(at: (commits[0] < commits[1] ? 4_096 : 0) + 128)
        /// Returns the root of a table: the last number of the value that follows its name.
        func root(of name: String) throws -> Int {
            let names = tables * 4_096..<(tables + 1) * 4_096
            return number(at: try #require(whole.range(of: Data(name.utf8), in: names)).upperBound + 40)
        }
        return switch page {
        case .firstMeta: 0
        case .secondMeta: 1
        case .tableOfTables: tables
        case .tableOne: try root(of: "one")
        case .tableTwo: try root(of: "two")
        }
    }

    /// The seed is 5, or `CARILLON_SEED`.
    @Test(arguments: CheckedPage.allCases) func `random bytes in a checked page are refused with a sentence`(
        _ page: CheckedPage
    )
        throws
    {
        var random = SeededGenerator(seed: TestSeeds.one(5))
        try fill()
        var noisy = try Data(contentsOf: file)
        let start = try number(of: page, in: noisy) * 4_096
        noisy.replaceSubrange(
            start..<start + 4_096, with: (0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) })
        try noisy.write(to: file)
        let sentence = try #require(refusal()).description
        #expect(sentence.hasPrefix("data.mdb is"), "\(sentence)")
    }

    /// Each bit of the first pages is refused or harmless, whatever it says. The test has no expectation: a trap would
    /// end the process of the tests.
    @Test func `no bit of the meta pages traps`() throws {
        try fill(rows: 20)
        let whole = try Data(contentsOf: file)
        for offset in [0, 4_096] {
            for byte in 0..<Self.metaBytes {
                for bit in 0..<8 {
                    var damaged = whole
                    damaged[offset + byte] ^= 1 << bit
                    try damaged.write(to: file)
                    // Why try?: a refusal is as good as none.
                    try? DataFileCheck.run(in: scratch.path)
                }
            }
        }
    }

    /// Pages that are not checked at the opening may contradict themselves: LMDB then ends the process.
    @Test func `a page that contradicts itself ends the process with a sentence`() async throws {
        try fill()
        var damaged = try Data(contentsOf: file)
        // The places of `mp_flags` and `mp_lower` in `MDB_page` of `mdb.c`. `mp_lower` counts the header and two bytes
        // for each row or child.
        let (kind, lower, headerBytes) = (10, 12, 16)
        let (branch, leaf): (UInt8, UInt8) = (1, 2)
        let (pageBytes, metaPages, fewRows) = (4_096, 2, 12)
        // Pages with rows become pages with one child, except those with few rows, such as the first page of a table.
        for page in stride(from: metaPages * pageBytes, to: damaged.count, by: pageBytes)
        where damaged[page + kind] == leaf && Int(damaged[page + lower]) > headerBytes + 2 * fewRows {
            damaged[page + kind] = branch
            (damaged[page + lower], damaged[page + lower + 1]) = (UInt8(headerBytes + 2), 0)
        }
        try damaged.write(to: file)
        let path = scratch.path
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = path as String] in
            let environment = try LMDBEnvironment(path: path, options: .reading)
            let database = try environment.openDatabase("one")
            for number in 0..<500 as Range<UInt32> {
                _ = try environment.read { try $0.get(bigEndian(number).span, in: database) }
            }
        }
        let standardError = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(standardError.contains("data.mdb is damaged: a page contradicts itself"), "\(standardError)")
    }

    @Test func `a file that is no database is refused`() throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 9_000).write(to: file)
        #expect(refusal()?.code == .invalidFile)
        #expect(refusal()?.description.hasPrefix("data.mdb is not a database") == true)
    }
}
