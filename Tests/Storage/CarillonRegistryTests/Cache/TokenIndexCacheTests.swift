import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

@testable import CarillonRegistry

/// A device that the cache returns is right: the cache may lose an address, but never returns the device of another
/// address, or one that had the address before.
struct TokenIndexCacheTests {
    private func device(at address: DeviceAddress, app: UInt32, in tokenIndexCache: TokenIndexCache) -> DeviceID? {
        tokenIndexCache.device(at: AddressSecret.test.digest(of: address, app: app), app: app)
    }

    private func note(_ id: DeviceID, at address: DeviceAddress, app: UInt32, in tokenIndexCache: TokenIndexCache) {
        tokenIndexCache.insert(id, at: AddressSecret.test.digest(of: address, app: app), app: app)
    }

    private func forget(_ address: DeviceAddress, app: UInt32, in tokenIndexCache: TokenIndexCache) {
        tokenIndexCache.remove(AddressSecret.test.digest(of: address, app: app), app: app)
    }

    @Test func `two addresses differ if any part does`() throws {
        let tokenIndexCache = try #require(TokenIndexCache(buckets: 1 << 10))
        note(deviceID(7), at: address(numbered: 1), app: 3, in: tokenIndexCache)
        #expect(device(at: address(numbered: 1), app: 3, in: tokenIndexCache) == deviceID(7))
        let digest = AddressSecret.test.digest(of: address(numbered: 1), app: 3)
        #expect(tokenIndexCache.device(at: digest, app: 4) == nil, "a row of the table whose app is corrupt")
        var sandboxed = address(numbered: 1)
        sandboxed.environment = .sandbox
        let others = [
            device(at: address(numbered: 1), app: 4, in: tokenIndexCache),
            device(at: address(numbered: 2), app: 3, in: tokenIndexCache),
            device(at: address(numbered: 1, kind: .voip), app: 3, in: tokenIndexCache),
            device(at: address(numbered: 1, length: 33), app: 3, in: tokenIndexCache),
            device(at: sandboxed, app: 3, in: tokenIndexCache),
        ]
        #expect(others == Array(repeating: nil, count: 5))
        let lengths = 8...DeviceToken.maximumBytes
        for length in lengths {
            note(deviceID(UInt64(length)), at: address(numbered: 9, length: length), app: 3, in: tokenIndexCache)
        }
        #expect(
            lengths.filter {
                device(at: address(numbered: 9, length: $0), app: 3, in: tokenIndexCache) != deviceID(UInt64($0))
            }
                == [])
    }

    @Test func `the last inserted device is found`() throws {
        let tokenIndexCache = try #require(TokenIndexCache(buckets: 1 << 10))
        note(deviceID(7), at: address(numbered: 1), app: 3, in: tokenIndexCache)
        note(deviceID(8), at: address(numbered: 1), app: 3, in: tokenIndexCache)
        #expect(device(at: address(numbered: 1), app: 3, in: tokenIndexCache) == deviceID(8))
        forget(address(numbered: 1), app: 3, in: tokenIndexCache)
        #expect(device(at: address(numbered: 1), app: 3, in: tokenIndexCache) == nil, "nor does the one before")
        note(deviceID(1 << 44), at: address(numbered: 1), app: 3, in: tokenIndexCache)
        #expect(device(at: address(numbered: 1), app: 3, in: tokenIndexCache) == nil, "no id that a device may have")
    }

    /// Sixteen slots for twenty-four addresses: each change meets others in its bucket.
    @Test(arguments: TestSeeds.of(1...20)) func `an evicted entry is never found under another device`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let tokenIndexCache = try #require(TokenIndexCache(buckets: 4))
        var held: [UInt64: DeviceID] = [:]
        var found = 0
        for step in 1...5_000 as ClosedRange<UInt64> {
            let number = UInt64.random(in: 0..<24, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                note(deviceID(step), at: address(numbered: number), app: 3, in: tokenIndexCache)
                held[number] = deviceID(step)
            case 1:
                forget(address(numbered: number), app: 3, in: tokenIndexCache)
                held[number] = nil
            default:
                guard let holder = device(at: address(numbered: number), app: 3, in: tokenIndexCache) else { continue }
                found += 1
                try #require(holder == held[number], "seed \(seed), step \(step)")
            }
        }
        #expect(found > 500)
    }

    @Test func `a half full cache loses few entries`() throws {
        let tokenIndexCache = try #require(TokenIndexCache(buckets: 1 << 14))
        // The addresses need half of the slots.
        let count: UInt64 = 1 << 15
        for number in 1...count {
            note(deviceID(number), at: address(numbered: number &* 0x9E37_79B9_7F4A_7C15), app: 3, in: tokenIndexCache)
        }
        let found = (1...count).count {
            device(at: address(numbered: $0 &* 0x9E37_79B9_7F4A_7C15), app: 3, in: tokenIndexCache) == deviceID($0)
        }
        #expect(found > Int(count) / 100 * 93, "\(found) of \(count)")
        #expect(tokenIndexCache.freeSlotCount == (3 << 14) - found)
        for number in 1...count {
            forget(address(numbered: number &* 0x9E37_79B9_7F4A_7C15), app: 3, in: tokenIndexCache)
        }
        #expect(tokenIndexCache.freeSlotCount == 3 << 14)
    }

    @Test func `the cache of bulk ingest begins with the stored devices`() throws {
        let scratch = RegistryDirectory()
        let registry = try scratch.open()
        for token in 1...5 as ClosedRange<UInt8> { try registry.apply(.register(token)) }
        try registry.apply(.unregister(2))
        registry.close()
        var known: [DeviceID?] = []
        var isThereAfterwards = true
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            try environment.write { transaction in
                #expect(context.tokenIndex.cache == nil)
                try context.tokenIndex.extendCaches(in: &transaction)
                known = (1...6 as ClosedRange<UInt8>).map {
                    context.tokenIndex.cache?.device(
                        at: tables.digest(of: address($0), app: 1), app: 1)
                }
                context.releaseBulkMemory()
                isThereAfterwards = context.tokenIndex.cache != nil
            }
        }
        #expect(known == [deviceID(1), nil, deviceID(3), deviceID(4), deviceID(5), nil])
        #expect(!isThereAfterwards)
    }
}
