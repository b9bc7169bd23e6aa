import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// An entry of the cache only saves a search: the device of its record is compared with the address.
struct TokenLookupCacheTests {
    private let tokenLookupCache = TokenLookupCache()

    private func digest(
        ofToken bytes: [UInt8], environment: APNsEnvironment = .production, kind: TokenKind = .device, app: UInt32 = 1
    ) throws -> AddressDigest {
        let token = try #require(DeviceToken(bytes))
        return AddressSecret.test.digest(
            of: DeviceAddress(environment: environment, kind: kind, token: token), app: app)
    }

    @Test func `two addresses differ if any part does`() throws {
        tokenLookupCache.insert(deviceID(7), at: try digest(ofToken: [1, 2, 3]))
        #expect(tokenLookupCache.device(at: try digest(ofToken: [1, 2, 3])) == deviceID(7))
        #expect(tokenLookupCache.device(at: try digest(ofToken: [1, 2, 3], app: 2)) == nil)
        #expect(tokenLookupCache.device(at: try digest(ofToken: [1, 2, 3], environment: .sandbox)) == nil)
        #expect(
            tokenLookupCache.device(at: try digest(ofToken: [1, 2, 3], environment: .production, kind: .voip)) == nil)
        #expect(tokenLookupCache.device(at: try digest(ofToken: [1, 2])) == nil)
        tokenLookupCache.insert(deviceID(8), at: try digest(ofToken: [1, 2, 3]))
        #expect(tokenLookupCache.device(at: try digest(ofToken: [1, 2, 3])) == deviceID(8), "the newest is believed")
    }

    @Test func `tokens of each length are found`() throws {
        for length in 1...DeviceToken.maximumBytes {
            tokenLookupCache.insert(
                deviceID(UInt64(length)), at: try digest(ofToken: [UInt8](repeating: 9, count: length)))
        }
        for length in 1...DeviceToken.maximumBytes {
            #expect(
                tokenLookupCache.device(at: try digest(ofToken: [UInt8](repeating: 9, count: length)))
                    == deviceID(UInt64(length)))
        }
    }

    @Test func `the largest id fits and an id that is too large is not kept`() throws {
        tokenLookupCache.insert(deviceID(AppTable.deviceBound - 1), at: try digest(ofToken: [1]))
        tokenLookupCache.insert(deviceID(AppTable.deviceBound), at: try digest(ofToken: [2]))
        #expect(tokenLookupCache.device(at: try digest(ofToken: [1])) == deviceID(AppTable.deviceBound - 1))
        #expect(tokenLookupCache.device(at: try digest(ofToken: [2])) == nil)
    }

    @Test func `there is room for a hundred thousand`() throws {
        func tokenBytes(_ number: UInt64) -> [UInt8] {
            let word = number &* 0x9E37_79B9_7F4A_7C15
            return (0..<32).map { UInt8(truncatingIfNeeded: word >> UInt64($0 % 8 * 8)) &+ UInt8($0) }
        }
        for number in 1...100_000 as ClosedRange<UInt64> {
            tokenLookupCache.insert(deviceID(number), at: try digest(ofToken: tokenBytes(number)))
        }
        let found = try (1...100_000 as ClosedRange<UInt64>).count {
            tokenLookupCache.device(at: try digest(ofToken: tokenBytes($0))) == deviceID($0)
        }
        // A bucket has eight slots. Seldom it gets nine addresses, or two with the same tag.
        #expect(found > 99_900)
    }

    private let scratch = RegistryDirectory()

    /// Opens a registry with devices 1 and 2, which were looked up by their tokens, so that the cache has them.
    private func registryWithLookedUpDevices() throws -> LMDBRegistry {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2)])
        #expect(try look(1, in: registry) == deviceID(1))
        #expect(try look(2, in: registry) == deviceID(2))
        return registry
    }

    private func look(_ token: UInt8, in registry: LMDBRegistry) throws -> DeviceID? {
        try registry.device(byToken(token), of: game)?.id
    }

    @Test func `a token that was replaced leads nowhere until it comes back`() throws {
        let registry = try registryWithLookedUpDevices()
        try registry.apply(.register(3, replaces: 1))
        #expect(try look(1, in: registry) == nil)
        #expect(try look(3, in: registry) == deviceID(1))
        #expect(try registry.apply(.register(1, seenAt: 1_001, now: 2_000)) == .created(3))
        #expect(try look(1, in: registry) == deviceID(3))
        #expect(try look(3, in: registry) == deviceID(1))
        #expect(try registry.verify() == [])
    }

    @Test func `a token that another device has taken leads to that one`() throws {
        let registry = try registryWithLookedUpDevices()
        try registry.apply(.register(2, seenAt: 3_000, replaces: 1, now: 3_000))
        #expect(try look(1, in: registry) == nil)
        #expect(try look(2, in: registry) == deviceID(1))
        try registry.apply(.unregister(id: 1, now: 4_000))
        #expect(try look(2, in: registry) == nil)
        // The writer uses the same cache.
        #expect(try registry.apply(.register(2, seenAt: 3_999, now: 5_000)) == .refused(.stale))
        #expect(try registry.verify() == [])
    }
}
