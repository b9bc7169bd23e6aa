import CarillonCore
import CarillonLMDB
import CarillonTestKit
import Testing

/// A cursor that stays where it was last does what the transaction itself would do, whatever it is asked for next.
struct WriteCursorTests {
    let scratch = LMDBDirectory()

    @Test func `a write cursor reads and replaces rows`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try environment.write { transaction in
            try transaction.withWriteCursor(in: database) { cursor in
                #expect(try cursor.get(bytes("b").span) { $0.count } == nil)
                try cursor.put(bytes("one").span, for: bytes("b").span)
                #expect(try cursor.get(bytes("b").span) { $0.bytes } == bytes("one"))
                try cursor.put(bytes("three, which is longer").span, for: bytes("b").span)
                try cursor.put(bytes("before").span, for: bytes("a").span)
                #expect(throws: LMDBError.self) { try cursor.put(bytes("x").span, for: [UInt8]().span) }
            }
        }
        try environment.read { (transaction) throws in
            #expect(try transaction.get(bytes("a").span, in: database) == bytes("before"))
            #expect(try transaction.get(bytes("b").span, in: database) == bytes("three, which is longer"))
            #expect(try transaction.count(in: database) == 2)
        }
    }

    enum KeyOrder: CaseIterable {
        case ascending, descending, shuffled

        /// Makes enough keys to split pages, some of them twice.
        func keys(using random: inout SeededGenerator) -> [UInt32] {
            let keys = (0..<5_000).map { _ in UInt32.random(in: 0..<20_000, using: &random) }
            return switch self {
            case .ascending: keys.sorted()
            case .descending: keys.sorted(by: >)
            case .shuffled: keys
            }
        }
    }

    /// Some of the keys exist from the transaction before. The seed is 1, or `CARILLON_SEED`.
    @Test(arguments: KeyOrder.allCases) func `keys put in any order are there`(_ order: KeyOrder) throws {
        let environment = try scratch.open(mapBytes: 64 << 20)
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let seed = TestSeeds.one(1)
        var random = SeededGenerator(seed: seed)
        var expected: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<3 {
            let keys = order.keys(using: &random)
            var wrong = 0
            try environment.write { transaction in
                try transaction.withWriteCursor(in: database) { cursor in
                    for number in keys {
                        let key = bigEndian(number)
                        let value = [UInt8](
                            repeating: UInt8.random(in: 0...255, using: &random), count: Int(number % 60))
                        if try cursor.get(key.span, { $0.bytes }) != expected[key] { wrong += 1 }
                        try cursor.put(value.span, for: key.span)
                        expected[key] = value
                    }
                }
                // What the cursor has put counts as changed.
                #expect(try transaction.changedPages() > 10)
            }
            #expect(wrong == 0, "seed \(seed)")
        }
        #expect(try rows(of: database, in: environment) == expected)
    }

    /// Returns all rows of a database, whose keys must ascend.
    private func rows(of database: Database, in environment: LMDBEnvironment) throws -> [[UInt8]: [UInt8]] {
        var rows: [[UInt8]: [UInt8]] = [:]
        var last: [UInt8] = []
        try environment.read { (transaction) throws in
            try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                #expect(last.lexicographicallyPrecedes(key.bytes))
                last = key.bytes
                rows[key.bytes] = value.bytes
                return .proceed
            }
        }
        return rows
    }
}
