import CarillonLMDB
import Testing

@Suite struct TransactionTests {
    let scratch = Scratch()

    struct Refusal: Error {}

    @Test func aValueComesBackAsItWasPut() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        try environment.write { (transaction) throws in
            try transaction.put(database, bytes("a").span, bytes("one").span)
            try transaction.put(database, bytes("empty").span, [UInt8]().span)
            #expect(try transaction.get(database, bytes("a").span) == bytes("one"))
        }
        try environment.read { (transaction) throws in
            #expect(try transaction.get(database, bytes("a").span) == bytes("one"))
            #expect(try transaction.get(database, bytes("a").span) { $0.count } == 3)
            #expect(try transaction.get(database, bytes("empty").span) == [])
            #expect(try transaction.get(database, bytes("b").span) == nil)
            #expect(try transaction.contains(database, bytes("a").span))
            #expect(try transaction.count(database) == 2)
        }
    }

    @Test func deleteTellsWhetherTheKeyWasThere() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        try environment.write { (transaction) throws in
            try transaction.put(database, bytes("a").span, bytes("one").span)
            let first = try transaction.delete(database, bytes("a").span)
            let second = try transaction.delete(database, bytes("a").span)
            #expect(first && !second)
        }
        #expect(try environment.read { try $0.count(database) } == 0)
    }

    @Test func insertAndAppendKeepWhatIsThere() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        try environment.write { (transaction) throws in
            try transaction.put(database, bytes("m").span, bytes("old").span, mode: .insert)
            for (key, mode) in [("m", WriteTransaction.PutMode.insert), ("a", .append)] {
                do {
                    try transaction.put(database, bytes(key).span, bytes("new").span, mode: mode)
                    Issue.record("\(key) was put")
                } catch LMDBError.Code.keyExists {}
            }
            try transaction.put(database, bytes("z").span, bytes("new").span, mode: .append)
        }
        try environment.read { (transaction) throws in
            #expect(try transaction.get(database, bytes("m").span) == bytes("old"))
            #expect(try transaction.count(database) == 2)
        }
    }

    @Test func insertGivesTheValueThatItFinds() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        try environment.write { (transaction) throws in
            let first = try transaction.insert(database, bytes("m").span, bytes("old").span) { $0.bytes }
            let second = try transaction.insert(database, bytes("m").span, bytes("new").span) { $0.bytes }
            #expect(first == nil)
            #expect(second == bytes("old"))
            #expect(throws: LMDBError(.badValueSize, operation: "mdb_put")) {
                try transaction.insert(database, [UInt8]().span, bytes("new").span) { $0.bytes }
            }
        }
        #expect(try environment.read { try $0.get(database, bytes("m").span) } == bytes("old"))
    }

    @Test func reservedBytesBeginAsZeroesAndAreFilledInPlace() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        let key = bytes("k")
        try environment.write { try $0.put(database, key.span, [UInt8](repeating: 0xFF, count: 4).span) }
        try environment.write { (transaction) throws in
            try transaction.reserve(database, key.span, count: 4) { $0[1] = 7 }
        }
        #expect(try environment.read { try $0.get(database, key.span) } == [0, 7, 0, 0])
    }

    @Test func aHeldWriteIsSeenOnceItIsCommitted() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        let write = try OpenWriteTransaction(environment)
        try write.transaction.put(database, bytes("a").span, bytes("one").span)
        #expect(try environment.read { try $0.count(database) } == 0)
        try write.transaction.put(database, bytes("b").span, bytes("two").span)
        try write.commit()
        #expect(try environment.read { try $0.count(database) } == 2)
        #expect(throws: LMDBError.self) { try write.commit() }
    }

    @Test func aHeldWriteThatIsLetGoOfChangesNothing() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        do {
            let write = try OpenWriteTransaction(environment)
            try write.transaction.put(database, bytes("a").span, bytes("one").span)
        }
        // The writer's lock was given back.
        try environment.write { try $0.put(database, bytes("b").span, bytes("two").span) }
        #expect(try environment.read { try $0.count(database) } == 1)
    }

    @Test func changedPagesAreAboutThoseThatTheKeysLieOn() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }
        try environment.write { transaction in
            for number in 0..<20_000 { try transaction.put(database, key(number).span, key(number).span) }
        }
        let write = try OpenWriteTransaction(environment)
        #expect(try write.transaction.changedPages() == 0)
        try write.transaction.put(database, key(77).span, key(1).span)
        #expect((1...3).contains(try write.transaction.changedPages()))
        for number in 0..<20_000 { try write.transaction.put(database, key(number).span, key(1).span) }
        let all = try environment.space().usedPages
        #expect((all / 2...all).contains(try write.transaction.changedPages()))
    }

    @Test func aThrowAborts() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        #expect(throws: Refusal.self) {
            try environment.write { (transaction) throws in
                try transaction.put(database, bytes("a").span, bytes("one").span)
                throw Refusal()
            }
        }
        #expect(try environment.read { try $0.count(database) } == 0)
        // The writer's lock was given back.
        try environment.write { try $0.put(database, bytes("a").span, bytes("two").span) }
        #expect(try environment.read { try $0.count(database) } == 1)
    }

    @Test(arguments: [0, 512])
    func keysOutsideTheLimitsAreRefused(length: Int) throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        let key = [UInt8](repeating: 1, count: length)
        #expect(throws: LMDBError(.badValueSize, operation: "mdb_put")) {
            try environment.write { try $0.put(database, key.span, key.span) }
        }
        #expect(throws: LMDBError(.badValueSize, operation: "mdb_get")) {
            try environment.read { _ = try $0.get(database, key.span) }
        }
    }

    @Test func theLongestKeyIsAccepted() throws {
        let environment = try scratch.open()
        let database = try environment.openDatabase("plain", create: true)
        let key = [UInt8](repeating: 1, count: 511)
        try environment.write { try $0.put(database, key.span, bytes("x").span) }
        #expect(try environment.read { try $0.get(database, key.span) } == bytes("x"))
    }

    @Test func callsThatWouldWaitForTheirOwnThreadAreRefused() throws {
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
