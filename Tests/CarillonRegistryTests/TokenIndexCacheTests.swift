import CarillonCore
import CarillonLMDB
import Testing

@testable import CarillonRegistry

/// What the book says is so: it may have lost an address, and never gives the device of another, or one that held it before.
struct HolderBookTests {
    private func address(_ number: UInt64, kind: TokenKind = .device, length: Int = 32) -> DeviceAddress {
        let token = (0..<length).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0xA5) }
        return DeviceAddress(environment: .production, kind: kind, token: DeviceToken(token)!)
    }

    private func device(_ book: TokenIndexCache, _ address: DeviceAddress, _ app: UInt32) -> DeviceID? {
        book.device(at: testSecret.digest(of: address, app), app)
    }

    private func note(_ book: TokenIndexCache, _ id: DeviceID, at address: DeviceAddress, _ app: UInt32) {
        book.note(id, at: testSecret.digest(of: address, app), app)
    }

    private func forget(_ book: TokenIndexCache, _ address: DeviceAddress, _ app: UInt32) {
        book.forget(testSecret.digest(of: address, app), app)
    }

    @Test func anAddressIsAllOfItsParts() throws {
        let book = try #require(TokenIndexCache(sets: 1 << 10))
        note(book, id(7), at: address(1), 3)
        #expect(device(book, address(1), 3) == id(7))
        #expect(device(book, address(1), 4) == nil, "of another app")
        #expect(device(book, address(2), 3) == nil)
        let digest = testSecret.digest(of: address(1), 3)
        #expect(book.device(at: digest, 4) == nil, "a row of the table whose app is spoilt")
        #expect(device(book, address(1, kind: .voip), 3) == nil)
        #expect(device(book, address(1, length: 33), 3) == nil)
        var sandboxed = address(1)
        sandboxed.environment = .sandbox
        #expect(device(book, sandboxed, 3) == nil)
        let lengths = 8...DeviceToken.byteLimit
        for length in lengths { note(book, id(UInt64(length)), at: address(9, length: length), 3) }
        #expect(lengths.filter { device(book, address(9, length: $0), 3) != id(UInt64($0)) } == [])
    }

    @Test func theLastThatHoldsItHoldsIt() throws {
        let book = try #require(TokenIndexCache(sets: 1 << 10))
        note(book, id(7), at: address(1), 3)
        note(book, id(8), at: address(1), 3)
        #expect(device(book, address(1), 3) == id(8))
        forget(book, address(1), 3)
        #expect(device(book, address(1), 3) == nil, "nor does the one before")
        note(book, id(1 << 44), at: address(1), 3)
        #expect(device(book, address(1), 3) == nil, "no id that a device may have")
    }

    /// Sixteen places for twenty-four addresses: each change meets others in its set.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func whoeverIsDrivenOutIsOnlyLost(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        let book = try #require(TokenIndexCache(sets: 4))
        var held: [UInt64: DeviceID] = [:]
        var found = 0
        for step in 1...5_000 as ClosedRange<UInt64> {
            let number = UInt64.random(in: 0..<24, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                note(book, id(step), at: address(number), 3)
                held[number] = id(step)
            case 1:
                forget(book, address(number), 3)
                held[number] = nil
            default:
                guard let holder = device(book, address(number), 3) else { continue }
                found += 1
                try #require(holder == held[number], "seed \(seed), step \(step)")
            }
        }
        #expect(found > 500)
    }

    @Test func ofManyFewAreLost() throws {
        let book = try #require(TokenIndexCache(sets: 1 << 14))
        // Half of its places.
        let count: UInt64 = 1 << 15
        for number in 1...count { note(book, id(number), at: address(number &* 0x9E37_79B9_7F4A_7C15), 3) }
        let found = (1...count).count { device(book, address($0 &* 0x9E37_79B9_7F4A_7C15), 3) == id($0) }
        #expect(found > Int(count) / 100 * 93, "\(found) of \(count)")
        #expect(book.room == (3 << 14) - found)
        for number in 1...count { forget(book, address(number &* 0x9E37_79B9_7F4A_7C15), 3) }
        #expect(book.room == 3 << 14)
    }

    /// A flood begins with devices that were there before it.
    @Test func aFloodLearnsWhatIsThere() throws {
        let scratch = Scratch()
        let registry = try scratch.open()
        for token in 1...5 as ClosedRange<UInt8> { _ = try registry.apply(register(token)) }
        _ = try registry.apply(unregister(2))
        registry.close()
        var known: [DeviceID?] = []
        var isThereAfterwards = true
        try scratch.edit { environment, layout in
            let applier = ChangeApplier(layout: layout, options: LMDBRegistry.Options(), wallClock: { time(9_000) })
            try environment.write { transaction in
                #expect(applier.book == nil)
                try applier.learn(in: &transaction)
                known = (1...6 as ClosedRange<UInt8>).map {
                    applier.book?.device(at: layout.digest(of: CarillonRegistryTests.address($0), 1), 1)
                }
                applier.rest()
                isThereAfterwards = applier.book != nil || !applier.filter.hasNotBegun
            }
        }
        #expect(known == [id(1), nil, id(3), id(4), id(5), nil])
        #expect(!isThereAfterwards)
    }
}
