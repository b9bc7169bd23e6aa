import CarillonLMDB
import Testing

/// The order in which rows are visited: by prefixes, in pages, in ranges and with a cursor.
struct TransactionIterationTests {
    let scratch = LMDBDirectory()
    let environment: LMDBEnvironment
    let database: Database

    init() throws {
        environment = try scratch.open()
        database = try environment.openDatabase("plain", ifMissing: .create)
    }

    private func put(_ keys: [[UInt8]]) throws {
        try environment.write { (transaction) throws in
            for key in keys { try transaction.put(key.span, for: key.span, in: database) }
        }
    }

    @Test func `big-endian keys are visited in the order of their numbers`() throws {
        let numbers: [UInt32] = [70_000, 1, 256, 255, 65_536, .max, 0]
        try put(numbers.map(bigEndian))
        var seen: [[UInt8]] = []
        try environment.read { (transaction) throws in
            try transaction.forEach(in: database, from: [UInt8]().span) { key, value in
                #expect(key.bytes == value.bytes)
                seen.append(key.bytes)
                return .proceed
            }
        }
        #expect(seen == numbers.sorted().map(bigEndian))
    }

    @Test(arguments: [
        ("a", ["a", "a1", "a2"]), ("a1", ["a1"]), ("b", []), ("", ["a", "a1", "a2", "c"]), ("z", []),
    ])
    func `a prefix visits its keys only`(prefix: String, expected: [String]) throws {
        try put(["a2", "a", "c", "a1"].map(bytes))
        var seen: [[UInt8]] = []
        let visited = try environment.read { (transaction) throws in
            try transaction.forEach(in: database, prefix: bytes(prefix).span) { key, _ in
                seen.append(key.bytes)
                return .proceed
            }
        }
        #expect(seen == expected.map(bytes))
        #expect(visited == expected.count)
    }

    @Test func `a page begins after the last key of the page before`() throws {
        let keys = (0..<10).map { bytes("k\($0)") }
        try put(keys + [bytes("l")])
        var seen: [[UInt8]] = []
        var visited = 0
        repeat {
            visited = try environment.read { (transaction) throws in
                let collect: (Span<UInt8>, Span<UInt8>) -> IterationStep = { key, _ in
                    seen.append(key.bytes)
                    return .proceed
                }
                guard let last = seen.last else {
                    return try transaction.forEach(in: database, prefix: bytes("k").span, limit: 4, collect)
                }
                return try transaction.forEach(
                    in: database,
                    prefix: bytes("k").span,
                    after: last.span,
                    limit: 4,
                    collect
                )
            }
        } while visited == 4
        #expect(seen == keys)
    }

    @Test func `a page after a key of another prefix is refused`() throws {
        try put([bytes("k"), bytes("l")])
        #expect(throws: LMDBError(.invalidArgument, operation: "forEach")) {
            try environment.read { (transaction) throws in
                _ = try transaction.forEach(in: database, prefix: bytes("k").span, after: bytes("a").span) { _, _ in
                    .proceed
                }
            }
        }
    }

    @Test func `a range ends below its upper bound and at stop`() throws {
        try put(["a", "b", "c", "d"].map(bytes))
        try environment.read { (transaction) throws in
            let range = try transaction.forEach(in: database, from: bytes("b").span, upTo: bytes("d").span) { _, _ in
                .proceed
            }
            #expect(range == 2)
            let stopped = try transaction.forEach(in: database, from: bytes("b").span) { _, _ in .stop }
            #expect(stopped == 1)
        }
    }

    @Test func `a cursor moves both ways and stays nowhere after the end`() throws {
        try put(["a", "c"].map(bytes))
        try environment.read { (transaction) throws in
            try transaction.withCursor(in: database) { cursor in
                var path: [String] = []
                func note(_ move: String, _ hasMoved: Bool) {
                    let key = cursor.withCurrent { key, _ in key.bytes }
                    path.append("\(move) \(hasMoved) \(key.map { String(decoding: $0, as: UTF8.self) } ?? "nowhere")")
                }
                note("next", try cursor.moveToNext())
                note("seek b", try cursor.seek(bytes("b").span))
                note("previous", try cursor.moveToPrevious())
                note("previous", try cursor.moveToPrevious())
                note("next", try cursor.moveToNext())
                note("last", try cursor.moveToLast())
                #expect(
                    path == [
                        "next false nowhere", "seek b true c", "previous true a", "previous false nowhere",
                        "next false nowhere", "last true c",
                    ])
            }
        }
    }
}
