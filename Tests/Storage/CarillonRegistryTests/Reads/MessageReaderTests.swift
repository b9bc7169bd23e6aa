import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The recipients of a message with their outcomes, page by page.
struct MessageReaderTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    @Test func `the recipients of a message are listed page by page`() throws {
        let registry = try scratch.open()
        try registry.apply((0..<5).map { Change.register($0) })
        try registry.accept(.sample(to: (1...10_000).map { .id(deviceID($0)) }))
        var seen: [UInt64] = []
        var cursor: UInt64 = 0
        repeat {
            let page = try #require(try registry.outcomes(of: first, app: game, cursor: cursor, limit: 999))
            seen += page.recipients.compactMap(\.device?.rawValue)
            cursor = page.next
        } while cursor != 0
        #expect(seen == Array(1...10_000))
    }

    @Test func `no recipient follows the last possible cursor`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        #expect(try registry.outcomes(of: first, app: game, cursor: .max, limit: 1)?.recipients == [])
    }
}
