import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonServer

/// The events of one session: what is read for a client, and when. The test reads the pages itself.
///
/// `3: 41`: the client got event 41 for its subscription 3.
struct EventSenderTests {
    private let loop = EmbeddedEventLoop()
    private let hub = EventHub()
    private let reader = FakeEventPageReader()

    private func connect() -> EventClient { EventClient(hub: hub, reader: reader, loop: loop) }

    /// The numbers after which events are read now.
    private var reads: [UInt64] { reader.waiting.map(\.after) }

    /// Answers the oldest read with the events of these numbers; nil: it fails.
    private func read(_ numbers: ClosedRange<UInt64>?) {
        let page = numbers.map { numbers in
            let events = numbers.map {
                Event(sequence: $0, at: .zero, kind: .messageFinished, app: TestApps.game)
            }
            return EventPage(events: events, upTo: numbers.upperBound, hasMore: false)
        }
        reader.waiting.removeFirst().completion(page)
        loop.advanceTime(by: EventReadScheduler.interval)
    }

    @Test func `pages of events are read and sent in order`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 44)
        try client.subscribe(3)
        #expect(reads == [40])
        read(41...42)
        #expect(try client.events() == ["3: 41", "3: 42"])
        #expect(reads == [42])
        read(43...44)
        #expect(try client.events() == ["3: 43", "3: 44"])
        #expect(reads == [], "there is nothing newer")
        hub.eventsPublished(upTo: 45)
        loop.run()
        #expect(reads == [44])
    }

    @Test func `no event is read without credit`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 50)
        try client.subscribe(3, credit: 0)
        #expect(reads == [])
        client.raise(3, to: 2, id: 5)
        #expect(reads == [40])
        read(41...45)
        #expect(try client.events() == ["3: 41", "3: 42"])
        #expect(reads == [], "three events of the page wait for credit")
        client.raise(3, to: 6, id: 7)
        #expect(try client.events() == ["3: 43", "3: 44", "3: 45"])
        #expect(reads == [45])
    }

    @Test func `no event is read for a client that takes no bytes`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 50)
        client.isWritable = false
        for id in stride(from: 3, through: 17, by: 2) as StrideThrough<UInt64> { try client.subscribe(id) }
        hub.eventsPublished(upTo: 51)
        loop.run()
        #expect(reads == [])
        client.isWritable = true
        client.send()
        #expect(reads == [40])
    }

    @Test func `a page that cannot be sent yet is kept`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 42)
        try client.subscribe(3)
        client.isWritable = false
        read(41...42)
        #expect(try client.events() == [])
        client.isWritable = true
        client.send()
        #expect(try client.events() == ["3: 41", "3: 42"])
    }

    /// A client may not fill the memory with a page for each of its subscriptions, nor keep the readers busy.
    @Test func `the subscriptions of many sessions are read one at a time`() throws {
        let clients = (0..<10).map { _ in connect() }
        hub.eventsPublished(upTo: 41)
        for client in clients { for id in [3, 5] as [UInt64] { try client.subscribe(id) } }
        for _ in 1...20 {
            #expect(reads == [40])
            read(41...41)
        }
        #expect(reads == [])
        #expect(try clients.map { try $0.events().sorted() } == Array(repeating: ["3: 41", "5: 41"], count: 10))
    }

    @Test func `the page of an ended subscription is dropped`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 41)
        try client.subscribe(3)
        try client.subscribe(5)
        client.unsubscribe(3, id: 7)
        read(41...41)
        #expect(reads == [40], "the other one has its turn")
        read(41...41)
        #expect(try client.events() == ["5: 41"])
    }

    @Test func `a session that ends during its read holds up no other`() throws {
        let gone = connect()
        let other = connect()
        hub.eventsPublished(upTo: 41)
        try gone.subscribe(3)
        try other.subscribe(3)
        gone.sender.end()
        read(41...41)
        #expect(try gone.events() == [])
        read(41...41)
        #expect(try other.events() == ["3: 41"])
        hub.eventsPublished(upTo: 42)
        loop.run()
        #expect(reads == [41], "only the other one is told")
    }

    /// A registry that fails is not asked again and again.
    @Test func `a page that cannot be read is read with the next event`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 41)
        try client.subscribe(3)
        read(nil)
        loop.advanceTime(by: .seconds(60))
        #expect(reads == [])
        hub.eventsPublished(upTo: 42)
        loop.run()
        #expect(reads == [40])
        read(41...42)
        #expect(try client.events() == ["3: 41", "3: 42"])
    }

    // MARK: Subscriptions that do not begin

    @Test func `a refused subscription leaves no state`() throws {
        let client = connect()
        try client.request(3, credit: 9)
        #expect(client.sender.isActive)
        client.sender.subscriptionRefused(3)
        #expect(!client.sender.isActive)
    }

    @Test func `a subscription that was ended before its answer is not read`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 41)
        try client.request(3, credit: 9)
        client.sender.subscriptionEnded(3)
        client.answer(3, after: 40)
        #expect(reads == [])
        #expect(!client.sender.isActive)
    }

    @Test func `a client that loses its rights before the answer reads nothing`() throws {
        let client = connect()
        hub.eventsPublished(upTo: 41)
        try client.request(3, credit: 9)
        reader.mayObserve = false
        client.answer(3, after: 40)
        #expect(reads == [])
        #expect(!client.sender.isActive)
    }
}
