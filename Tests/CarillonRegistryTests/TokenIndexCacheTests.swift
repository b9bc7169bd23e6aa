import CarillonCore
import CarillonLMDB
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// A device that the cache returns is right: the cache may lose an address, but never returns the device of another
/// address, or one that had the address before.
struct TokenIndexCacheTests {
    private func address(_ number: UInt64, kind: TokenKind = .device, length: Int = 32) -> DeviceAddress {
        let token = (0..<length).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0xA5) }
        return DeviceAddress(environment: .production, kind: kind, token: DeviceToken(token)!)
    }

    private func device(_ tokenIndex: TokenIndexCache, _ address: DeviceAddress, _ app: UInt32) -> DeviceID? {
        tokenIndex.device(at: testSecret.digest(of: address, app), app)
    }

    private func note(_ tokenIndex: TokenIndexCache, _ id: DeviceID, at address: DeviceAddress, _ app: UInt32) {
        tokenIndex.insert(id, at: testSecret.digest(of: address, app), app)
    }

    private func forget(_ tokenIndex: TokenIndexCache, _ address: DeviceAddress, _ app: UInt32) {
        tokenIndex.remove(testSecret.digest(of: address, app), app)
    }

    @Test func anAddressIsAllOfItsParts() throws {
        let tokenIndex = try #require(TokenIndexCache(sets: 1 << 10))
        note(tokenIndex, id(7), at: address(1), 3)
        #expect(device(tokenIndex, address(1), 3) == id(7))
        #expect(device(tokenIndex, address(1), 4) == nil, "of another app")
        #expect(device(tokenIndex, address(2), 3) == nil)
        let digest = testSecret.digest(of: address(1), 3)
        #expect(tokenIndex.device(at: digest, 4) == nil, "a row of the table whose app is corrupt")
        #expect(device(tokenIndex, address(1, kind: .voip), 3) == nil)
        #expect(device(tokenIndex, address(1, length: 33), 3) == nil)
        var sandboxed = address(1)
        sandboxed.environment = .sandbox
        #expect(device(tokenIndex, sandboxed, 3) == nil)
        let lengths = 8...DeviceToken.byteLimit
        for length in lengths { note(tokenIndex, id(UInt64(length)), at: address(9, length: length), 3) }
        #expect(lengths.filter { device(tokenIndex, address(9, length: $0), 3) != id(UInt64($0)) } == [])
    }

    @Test func theLastInsertedDeviceIsFound() throws {
        let tokenIndex = try #require(TokenIndexCache(sets: 1 << 10))
        note(tokenIndex, id(7), at: address(1), 3)
        note(tokenIndex, id(8), at: address(1), 3)
        #expect(device(tokenIndex, address(1), 3) == id(8))
        forget(tokenIndex, address(1), 3)
        #expect(device(tokenIndex, address(1), 3) == nil, "nor does the one before")
        note(tokenIndex, id(1 << 44), at: address(1), 3)
        #expect(device(tokenIndex, address(1), 3) == nil, "no id that a device may have")
    }

    /// Sixteen places for twenty-four addresses: each change meets others in its set.
    @Test(arguments: TestSeeds.of(1...20)) func anEvictedEntryIsNeverFoundUnderAnotherDevice(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tokenIndex = try #require(TokenIndexCache(sets: 4))
        var held: [UInt64: DeviceID] = [:]
        var found = 0
        for step in 1...5_000 as ClosedRange<UInt64> {
            let number = UInt64.random(in: 0..<24, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                note(tokenIndex, id(step), at: address(number), 3)
                held[number] = id(step)
            case 1:
                forget(tokenIndex, address(number), 3)
                held[number] = nil
            default:
                guard let holder = device(tokenIndex, address(number), 3) else { continue }
                found += 1
                try #require(holder == held[number], "seed \(seed), step \(step)")
            }
        }
        #expect(found > 500)
    }

    @Test func aHalfFullCacheLosesFewEntries() throws {
        let tokenIndex = try #require(TokenIndexCache(sets: 1 << 14))
        // Half of its places.
        let count: UInt64 = 1 << 15
        for number in 1...count { note(tokenIndex, id(number), at: address(number &* 0x9E37_79B9_7F4A_7C15), 3) }
        let found = (1...count).count { device(tokenIndex, address($0 &* 0x9E37_79B9_7F4A_7C15), 3) == id($0) }
        #expect(found > Int(count) / 100 * 93, "\(found) of \(count)")
        #expect(tokenIndex.room == (3 << 14) - found)
        for number in 1...count { forget(tokenIndex, address(number &* 0x9E37_79B9_7F4A_7C15), 3) }
        #expect(tokenIndex.room == 3 << 14)
    }

    /// Bulk ingest begins with the devices that exist.
    @Test func bulkIngestReadsTheTable() throws {
        let scratch = Scratch()
        let registry = try scratch.open()
        for token in 1...5 as ClosedRange<UInt8> { _ = try registry.apply(register(token)) }
        _ = try registry.apply(unregister(2))
        registry.close()
        var known: [DeviceID?] = []
        var isThereAfterwards = true
        try scratch.edit { environment, layout in
            let context = WriteContext(layout: layout, options: LMDBRegistry.Options(), wallClock: { time(9_000) })
            try environment.write { transaction in
                #expect(context.tokenIndex == nil)
                try context.extendTokenCaches(in: &transaction)
                known = (1...6 as ClosedRange<UInt8>).map {
                    context.tokenIndex?.device(at: layout.digest(of: CarillonRegistryTests.address($0), 1), 1)
                }
                context.releaseBulkCaches()
                isThereAfterwards = context.tokenIndex != nil || !context.tokenFilter.hasNotBegun
            }
        }
        #expect(known == [id(1), nil, id(3), id(4), id(5), nil])
        #expect(!isThereAfterwards)
    }
}
