import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Synchronization
import Testing

/// The events that the registry writes, numbers and trims, and the quotas of their subscribers.
struct RegistryEventTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    @Test func eventsAreNumberedPublishedAndTrimmed() throws {
        let newest = Mutex<[UInt64]>([])
        var options = LMDBRegistry.Options()
        options.settings?.maximumEvents = 3
        let registry = try LMDBRegistry(
            path: scratch.path, options: options, onEvents: { number in newest.withLock { $0.append(number) } })
        for number in 1...5 {
            let text = "pool \(number)" + String(repeating: "é", count: 200)
            let event = Event(at: timestamp(1_000), kind: .connectionUp, text: text)
            #expect(try registry.apply(.appendEvent(event)) == .applied)
        }
        _ = try registry.apply(.register(1))
        _ = try registry.apply(.register(2, replaces: 1))
        let page = try registry.events(after: 1, limit: 2, filter: EventFilter())
        #expect(page.missed == 2..<4)
        #expect(page.events.map(\.sequence) == [4, 5])
        #expect(page.hasMore)
        #expect(page.events.allSatisfy { ($0.text?.utf8.count ?? 0) <= 255 })
        let rest = try registry.events(after: page.upTo, limit: 2, filter: EventFilter(apps: [game]))
        #expect(rest.events.map(\.kind) == [.tokenReplaced])
        #expect(!rest.hasMore)
        #expect(try registry.events(after: .max, limit: 2, filter: EventFilter()).upTo == 6)
        #expect(try registry.verify() == [])
        registry.close()
        #expect(newest.withLock { $0 } == [1, 2, 3, 4, 5, 6])
    }

    @Test func oldEventsAndSubscribersAreRemoved() throws {
        let registry = try scratch.open()
        let subscriber = EventSubscriber(principal: "shop", name: "mail")
        _ = try registry.apply([
            .appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)),
            .appendEvent(Event(at: timestamp(2_000), kind: .connectionUp)),
        ])
        #expect(try registry.acknowledged(by: subscriber) == nil)
        let answers = try ([99, 1] as [UInt64]).map {
            try registry.apply(.acknowledge(subscriber, upTo: $0, now: timestamp(1_000)))
        }
        #expect(answers == [.applied, .applied])
        #expect(try registry.acknowledged(by: subscriber) == 2)
        #expect(try !registry.sweep(now: timestamp(1_001 + 7 * 86_400_000)))
        let left = try registry.events(after: 0, limit: 9, filter: EventFilter()).events.map(\.sequence)
        #expect(left == [2])
        #expect(try registry.acknowledged(by: subscriber) == 2)
        let isUnfinished = try registry.sweep(now: timestamp(1_001 + 30 * 86_400_000))
        #expect(!isUnfinished)
        #expect(try registry.acknowledged(by: subscriber) == nil)
        // Numbers go on although nothing is left.
        _ = try registry.apply(.appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)))
        #expect(try registry.events(after: 2, limit: 9, filter: EventFilter()).events.map(\.sequence) == [3])
        #expect(try registry.verify() == [])
    }

    @Test func eachPrincipalHasAQuotaOfSubscribersWithinTheTotal() throws {
        let registry = try scratch.open()
        func acknowledge(_ principal: String, subscriber: Int) -> Change {
            .acknowledge(EventSubscriber(principal: principal, name: "\(subscriber)"), upTo: 0, now: timestamp(1_000))
        }
        _ = try registry.apply((1...100).map { acknowledge("shop", subscriber: $0) })
        #expect(try registry.apply(acknowledge("shop", subscriber: 101)) == .refused(.tooMany(.ownSubscribers)))
        #expect(try registry.apply(acknowledge("shop", subscriber: 100)) == .applied)
        // The names of principals do not run into each other.
        for principal in ["s", "sho", "shop2", "shopp", ""] {
            #expect(try registry.apply(acknowledge(principal, subscriber: 1)) == .applied)
        }
        for principal in 1...9 { _ = try registry.apply((1...99).map { acknowledge("p\(principal)", subscriber: $0) }) }
        #expect(
            try registry.apply((1...4).map { acknowledge("q", subscriber: $0) }) == Array(repeating: .applied, count: 4)
        )
        #expect(try registry.apply(acknowledge("r", subscriber: 1)) == .refused(.tooMany(.subscribers)))
        #expect(try registry.apply(acknowledge("q", subscriber: 4)) == .applied)
    }

    @Test func aForgottenSubscriberMakesRoom() throws {
        let registry = try scratch.open()
        let names = (1...101).map { EventSubscriber(principal: "shop", name: "\($0)") }
        _ = try registry.apply(.appendEvent(Event(at: timestamp(1_000), kind: .connectionUp)))
        _ = try registry.apply(names.prefix(100).map { .acknowledge($0, upTo: 1, now: timestamp(1_000)) })
        let another = Change.acknowledge(names[100], upTo: 1, now: timestamp(1_000))
        #expect(try registry.apply(another) == .refused(.tooMany(.ownSubscribers)))
        #expect(try registry.apply(.forgetSubscriber(names[7])) == .forgotten(wasKnown: true))
        #expect(try registry.apply(.forgetSubscriber(names[7])) == .forgotten(wasKnown: false))
        let other = EventSubscriber(principal: "sho", name: names[8].name)
        #expect(try registry.apply(.forgetSubscriber(other)) == .forgotten(wasKnown: false))
        #expect(try registry.acknowledged(by: names[7]) == nil)
        #expect(try registry.acknowledged(by: names[8]) == 1)
        #expect(try registry.apply(another) == .applied)
        #expect(try registry.verify() == [])
    }

    @Test func eachFailedDeliveryAndTheEndOfTheMessageAreEvents() throws {
        let registry = try scratch.open()
        _ = try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1), byToken(2)]), now: timestamp(1_000)),
        ])
        _ = try registry.apply(.recordOutcomes(of: 1, [(1, .gaveUp)]))
        let reported = try registry.events(after: 0, limit: 1_000, filter: EventFilter()).events
        #expect(reported.map(\.kind) == [.deliveryFailed, .deliveryFailed, .messageFinished])
        #expect(reported.map(\.device) == [nil, deviceID(1), nil])
        #expect(reported.map(\.outcome) == [.unregistered, .gaveUp, nil])
        #expect(reported.last?.count == 2)
        #expect(reported.allSatisfy { $0.app == game && $0.message == first })
    }
}
