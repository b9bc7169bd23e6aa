import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The subscribers of events: what they have acknowledged, and their quotas.
struct SubscriberApplierTests {
    private let scratch = RegistryDirectory()

    @Test func `an acknowledgement stays within the events and does not go back`() throws {
        let registry = try scratch.open()
        let subscriber = EventSubscriber(principal: "shop", name: "mail")
        try registry.apply((1...2).map { _ in .appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)) })
        #expect(try registry.acknowledgedSequence(by: subscriber) == nil)
        for sequence in [99, 1] as [UInt64] {
            #expect(
                try registry.apply(.acknowledge(subscriber, upTo: sequence, now: timestamp(1_000))) == .applied)
            #expect(try registry.acknowledgedSequence(by: subscriber) == 2)
        }
    }

    @Test func `each principal has a quota of subscribers within the total`() throws {
        let registry = try scratch.open()
        func acknowledge(_ principal: String, subscriber: Int) -> Change {
            .acknowledge(EventSubscriber(principal: principal, name: "\(subscriber)"), upTo: 0, now: timestamp(1_000))
        }
        try registry.apply((1...100).map { acknowledge("shop", subscriber: $0) })
        #expect(try registry.apply(acknowledge("shop", subscriber: 101)) == .refused(.tooMany(.ownSubscribers)))
        #expect(try registry.apply(acknowledge("shop", subscriber: 100)) == .applied)
        // The names of principals do not run into each other.
        for principal in ["s", "sho", "shop2", "shopp", ""] {
            #expect(try registry.apply(acknowledge(principal, subscriber: 1)) == .applied)
        }
        for principal in 1...9 { try registry.apply((1...99).map { acknowledge("p\(principal)", subscriber: $0) }) }
        #expect(
            try registry.apply((1...4).map { acknowledge("q", subscriber: $0) }) == Array(repeating: .applied, count: 4)
        )
        #expect(try registry.apply(acknowledge("r", subscriber: 1)) == .refused(.tooMany(.subscribers)))
        #expect(try registry.apply(acknowledge("q", subscriber: 4)) == .applied)
    }

    @Test func `a forgotten subscriber makes room`() throws {
        let registry = try scratch.open()
        let names = (1...101).map { EventSubscriber(principal: "shop", name: "\($0)") }
        try registry.apply(.appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)))
        try registry.apply(names.prefix(100).map { .acknowledge($0, upTo: 1, now: timestamp(1_000)) })
        let another = Change.acknowledge(names[100], upTo: 1, now: timestamp(1_000))
        #expect(try registry.apply(another) == .refused(.tooMany(.ownSubscribers)))
        #expect(try registry.apply(.forgetSubscriber(names[7])) == .forgotten(wasKnown: true))
        #expect(try registry.apply(.forgetSubscriber(names[7])) == .forgotten(wasKnown: false))
        let other = EventSubscriber(principal: "sho", name: names[8].name)
        #expect(try registry.apply(.forgetSubscriber(other)) == .forgotten(wasKnown: false))
        #expect(try registry.acknowledgedSequence(by: names[7]) == nil)
        #expect(try registry.acknowledgedSequence(by: names[8]) == 1)
        #expect(try registry.apply(another) == .applied)
        #expect(try registry.verify() == [])
    }
}
