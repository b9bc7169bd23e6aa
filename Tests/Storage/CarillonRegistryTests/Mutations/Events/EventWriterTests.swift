import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Synchronization
import Testing

/// The events that changes write: numbered, published, and kept within their limit.
struct EventWriterTests {
    private let scratch = RegistryDirectory()

    @Test func `events are numbered and published, and the oldest are removed`() throws {
        let newest = Mutex<[UInt64]>([])
        var options = LMDBRegistry.Options()
        options.settings?.maximumEvents = 3
        let registry = try LMDBRegistry(
            path: scratch.path, options: options, onEvents: { number in newest.withLock { $0.append(number) } })
        for number in 1...5 {
            let event = Event(at: timestamp(1_000), kind: .connectionUp, text: "pool \(number)")
            #expect(try registry.apply(.appendEvent(event)) == .applied)
        }
        try registry.apply(.register(1))
        try registry.apply(.register(2, replaces: 1))
        let page = try registry.events(after: 1, limit: 2, filter: EventFilter())
        #expect(page.missed == 2..<4)
        #expect(page.events.map(\.sequence) == [4, 5])
        #expect(page.hasMore)
        let rest = try registry.events(after: page.upTo, limit: 2, filter: EventFilter(apps: [game]))
        #expect(rest.events.map(\.kind) == [.tokenReplaced])
        #expect(!rest.hasMore)
        #expect(try registry.events(after: .max, limit: 2, filter: EventFilter()).upTo == 6)
        #expect(try registry.verify() == [])
        registry.close()
        #expect(newest.withLock { $0 } == [1, 2, 3, 4, 5, 6])
    }

    @Test func `a text is cut to 255 bytes`() throws {
        let registry = try scratch.open()
        let event = Event(at: timestamp(1_000), kind: .connectionUp, text: String(repeating: "é", count: 200))
        #expect(try registry.apply(.appendEvent(event)) == .applied)
        let text = try registry.events(after: 0, limit: 1, filter: EventFilter()).events.first?.text
        #expect((250...255).contains(text?.utf8.count ?? 0))
        registry.close()
    }
}
