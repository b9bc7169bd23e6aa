import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// An address that is not in the filter is certainly new; a known address is always in it.
struct TokenBloomFilterTests {
    private let scratch = RegistryDirectory()

    private func randomAddress(_ number: UInt64, length: Int = 32) -> DeviceAddress {
        // The first eight bytes are as random as those of a token from APNs.
        let digits = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
        var token: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: digits >> (8 * $0)) }
        token += [UInt8](repeating: 0xA5, count: max(0, length - 8))
        return DeviceAddress(
            environment: number & 1 == 0 ? .production : .sandbox, kind: number & 2 == 0 ? .device : .voip,
            token: DeviceToken(Array(token.prefix(length)))!)
    }

    /// Reads the next piece of a table that has these addresses of app 3.
    private func extend(_ filter: inout TokenBloomFilter, with addresses: [DeviceAddress]) throws {
        var extended = filter
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                for (index, address) in addresses.enumerated() {
                    try tables.addresses.put(
                        .device(deviceID(UInt64(index) + 1)), for: digest(address), app: 3, in: &transaction)
                }
                try extended.extend(from: tables.addresses, in: transaction)
            }
        }
        filter = extended
    }

    private func digest(_ number: UInt64) -> AddressDigest { digest(randomAddress(number)) }

    private func digest(_ address: DeviceAddress, app: AppNumber = 3) -> AddressDigest {
        AddressSecret.test.digest(of: address, app: app)
    }

    /// Returns a digest that belongs to no address. It is as random as the others, and made faster.
    private func randomDigest(_ number: UInt64) -> AddressDigest {
        let mixed = (number ^ number >> 31) &* 0x9E37_79B9_7F4A_7C15
        let head = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
        return AddressDigest(head: head ^ head >> 32, tail: UInt32(truncatingIfNeeded: mixed >> 17))
    }

    init() throws { try scratch.open().close() }

    @Test func `tokens of each length are found`() throws {
        let addresses = (1...DeviceToken.maximumBytes).map { randomAddress(UInt64($0), length: $0) }
        var filter = TokenBloomFilter()
        try extend(&filter, with: addresses)
        #expect(addresses.filter { filter.lacks(digest($0)) } == [])
        // In another app, or with another kind, a token is another address.
        #expect(addresses.count { filter.lacks(digest($0, app: 4)) } > 195)
        #expect(
            filter.lacks(
                digest(DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken([3])!))))
    }

    @Test func `no token is known to be absent before the table is read`() throws {
        let count = UInt64(TokenBloomFilter.rowsPerPiece + 10)
        let addresses = (0..<count).map { randomAddress($0) }
        var filter = TokenBloomFilter()
        #expect(!filter.lacks(digest(count)))
        try extend(&filter, with: addresses)
        #expect(!filter.lacks(digest(count)))
        // A row that is put in between may be before the next piece, so it is inserted into the filter at once.
        filter.insert(digest(count + 4))
        try extend(&filter, with: [])
        #expect(filter.lacks(digest(count)))
        #expect(!filter.lacks(digest(count + 4)))
        #expect((0..<count).count { filter.lacks(digest($0)) } == 0)
    }

    @Test func `a table that ends with a piece is read once more`() throws {
        var filter = TokenBloomFilter()
        try extend(&filter, with: (0..<UInt64(TokenBloomFilter.rowsPerPiece)).map { randomAddress($0) })
        #expect(!filter.lacks(digest(.max)))
        try extend(&filter, with: [])
        #expect(filter.lacks(digest(.max)))
    }

    @Test func `a full filter has few false positives`() throws {
        var filter = TokenBloomFilter()
        try extend(&filter, with: [])
        // The filter gets as many addresses as it has room for.
        let room: UInt64 = 1 << 20
        for number in 0..<room { filter.insert(randomDigest(number)) }
        #expect((0..<room).count { filter.lacks(randomDigest($0)) } == 0)
        let mistaken = (room..<room + 100_000).count { !filter.lacks(randomDigest($0)) }
        #expect((1..<300).contains(mistaken), "\(mistaken) of 100,000")
    }

    /// Rows that wait to be written are in no table, so a new filter cannot read them there.
    @Test func `buffered rows are found after the filter begins again`() throws {
        var answers: [ChangeAnswer] = []
        var isKnown = false
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            try environment.write { transaction in
                try context.tokenIndex.extendCaches(in: &transaction)
                answers.append(try ChangeApplier(context: context).apply(.register(1), in: &transaction))
                for number in 0...(1 << 20) as ClosedRange<UInt64> {
                    context.tokenIndex.filter.insert(randomDigest(number))
                }
                try context.tokenIndex.extendCaches(in: &transaction)
                // The token index cache has lost the address.
                context.tokenIndex.cache = TokenIndexCache(buckets: 1)
                answers.append(try ChangeApplier(context: context).apply(.register(1), in: &transaction))
                isKnown = !context.tokenIndex.filter.lacks(
                    tables.digest(of: address(1), app: 1))
                try context.flush(in: &transaction)
            }
        }
        #expect(
            answers == [
                .registered(deviceID(1), .created, ended: nil), .registered(deviceID(1), .refreshed, ended: nil),
            ])
        #expect(isKnown)
    }

    /// The filter was complete, and the row was back after the abort: its token got a second device.
    @Test func `a row that an aborted transaction removed is not lacking`() throws {
        var lacks = true
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            let stored = tables.digest(of: address(1), app: 1)
            try environment.write { try context.tokenIndex.put(.device(deviceID(1)), at: stored, app: 1, in: &$0) }
            struct Aborted: Error {}
            #expect(throws: Aborted.self) {
                try environment.write { transaction in
                    try context.tokenIndex.delete(stored, app: 1, in: &transaction)
                    try context.tokenIndex.extendCaches(in: &transaction)
                    throw Aborted()
                }
            }
            context.transactionAborted()
            lacks = context.tokenIndex.filter.lacks(stored)
        }
        #expect(!lacks)
    }

    @Test func `a full filter is emptied and filled again`() throws {
        var filter = TokenBloomFilter()
        try extend(&filter, with: (0..<3).map { randomAddress($0) })
        #expect(filter.lacks(digest(9)))
        for number in 0..<(1 << 20) as Range<UInt64> { filter.insert(randomDigest(number)) }
        #expect(!filter.lacks(digest(9)), "it has forgotten all, and says nothing")
        try extend(&filter, with: [])
        #expect(filter.lacks(digest(9)))
        #expect((0..<3).count { filter.lacks(digest($0)) } == 0)
    }
}
