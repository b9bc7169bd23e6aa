import CarillonLMDB
import Testing

/// The reads and writes of transactions, and the end of one that fails.
struct WriteTransactionTests {
    let scratch = LMDBDirectory()

    struct Refusal: Error {}

    @Test func `a value comes back as it was put`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try environment.write { (transaction) throws in
            try transaction.put(bytes("one").span, for: bytes("a").span, in: database)
            try transaction.put([UInt8]().span, for: bytes("empty").span, in: database)
            #expect(try transaction.get(bytes("a").span, in: database) == bytes("one"))
        }
        try environment.read { (transaction) throws in
            #expect(try transaction.get(bytes("a").span, in: database) == bytes("one"))
            #expect(try transaction.get(bytes("a").span, in: database) { $0.count } == 3)
            #expect(try transaction.get(bytes("empty").span, in: database) == [])
            #expect(try transaction.get(bytes("b").span, in: database) == nil)
            #expect(try transaction.contains(bytes("a").span, in: database))
            #expect(try transaction.count(in: database) == 2)
        }
    }

    @Test func `delete tells whether the key was there`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try environment.write { (transaction) throws in
            try transaction.put(bytes("one").span, for: bytes("a").span, in: database)
            let first = try transaction.delete(bytes("a").span, in: database)
            let second = try transaction.delete(bytes("a").span, in: database)
            #expect(first)
            #expect(!second)
        }
        #expect(try environment.read { try $0.count(in: database) } == 0)
    }

    @Test func `insert and append replace no row`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        try environment.write { (transaction) throws in
            try transaction.put(bytes("old").span, for: bytes("m").span, in: database, mode: .insert)
            for (key, mode) in [("m", WriteTransaction.PutMode.insert), ("a", .append)] {
                let error = #expect(throws: LMDBError.self) {
                    try transaction.put(bytes("new").span, for: bytes(key).span, in: database, mode: mode)
                }
                #expect(error?.code == .keyExists, "\(key)")
            }
            try transaction.put(bytes("new").span, for: bytes("z").span, in: database, mode: .append)
        }
        try environment.read { (transaction) throws in
            #expect(try transaction.get(bytes("m").span, in: database) == bytes("old"))
            #expect(try transaction.count(in: database) == 2)
        }
    }

    @Test func `an open write transaction is seen once it is committed`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let write = try OpenWriteTransaction(environment)
        try write.transaction.put(bytes("one").span, for: bytes("a").span, in: database)
        #expect(try environment.read { try $0.count(in: database) } == 0)
        try write.transaction.put(bytes("two").span, for: bytes("b").span, in: database)
        try write.commit()
        #expect(try environment.read { try $0.count(in: database) } == 2)
        #expect(throws: LMDBError.self) { try write.commit() }
    }

    @Test func `an open write transaction that is abandoned changes nothing`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        do {
            let write = try OpenWriteTransaction(environment)
            try write.transaction.put(bytes("one").span, for: bytes("a").span, in: database)
        }
        // The writer's lock was given back.
        try environment.write { try $0.put(bytes("two").span, for: bytes("b").span, in: database) }
        #expect(try environment.read { try $0.count(in: database) } == 1)
    }

    @Test func `the number of changed pages is about that of their keys`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }
        try environment.write { transaction in
            for number in 0..<20_000 { try transaction.put(key(number).span, for: key(number).span, in: database) }
        }
        let write = try OpenWriteTransaction(environment)
        #expect(try write.transaction.changedPages() == 0)
        try write.transaction.put(key(1).span, for: key(77).span, in: database)
        #expect((1...3).contains(try write.transaction.changedPages()))
        for number in 0..<20_000 { try write.transaction.put(key(1).span, for: key(number).span, in: database) }
        let all = try environment.space().usedPages
        #expect((all / 2...all).contains(try write.transaction.changedPages()))
    }

    @Test func `an error of the body aborts the transaction`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        #expect(throws: Refusal.self) {
            try environment.write { (transaction) throws in
                try transaction.put(bytes("one").span, for: bytes("a").span, in: database)
                throw Refusal()
            }
        }
        #expect(try environment.read { try $0.count(in: database) } == 0)
        // The writer's lock was given back.
        try environment.write { try $0.put(bytes("two").span, for: bytes("a").span, in: database) }
        #expect(try environment.read { try $0.count(in: database) } == 1)
    }

    @Test(arguments: [0, 512])
    func `keys outside the limits are refused`(length: Int) throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let key = [UInt8](repeating: 1, count: length)
        #expect(throws: LMDBError(.badValueSize, operation: "mdb_put")) {
            try environment.write { try $0.put(key.span, for: key.span, in: database) }
        }
        #expect(throws: LMDBError(.badValueSize, operation: "mdb_get")) {
            try environment.read { _ = try $0.get(key.span, in: database) }
        }
    }

    @Test func `the longest key is accepted`() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", ifMissing: .create)
        let key = [UInt8](repeating: 1, count: 511)
        try environment.write { try $0.put(bytes("x").span, for: key.span, in: database) }
        #expect(try environment.read { try $0.get(key.span, in: database) } == bytes("x"))
    }

    @Test func `calls that would wait for their own thread are refused`() throws {
        let environment = try scratch.open()
        try environment.write { (_) throws in
            #expect(throws: LMDBError.self) { try environment.write { _ in } }
        }
        try environment.read { (_) throws in
            #expect(throws: LMDBError(.badTransaction, operation: "growMap")) { try environment.growMap(to: 1 << 30) }
            // A read inside a read needs no waiting.
            try environment.read { _ in }
        }
    }
}
