import CarillonCore
import CarillonWire
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CarillonServer

/// The number of writes for acknowledgements of events, and the time of the answers.
struct EventAcknowledgementsTests {
    private let loop = EmbeddedEventLoop()
    private let registry = FakeRegistry { _ in .applied }
    private let answered = Answered()
    private let acknowledgements: EventAcknowledgements
    private let limited = Principal(name: "limited", grants: [], requestsPerSecond: 2)
    private let billing = EventSubscriber(principal: "limited", name: "billing")
    private let audit = EventSubscriber(principal: "limited", name: "audit")

    private final class Answered: Sendable {
        let numbers = Mutex<[UInt64]>([])
    }

    init() {
        acknowledgements = EventAcknowledgements(registry, loop: loop, wallClock: { Timestamp(milliseconds: 9) })
    }

    private func acknowledge(
        _ number: UInt64, of subscriber: EventSubscriber, as principal: Principal? = nil, at now: Uptime = 0
    ) {
        let answered = answered
        acknowledgements.acknowledge(subscriber, upTo: number, as: principal ?? limited, now: now) { error in
            #expect(error == nil)
            answered.numbers.withLock { $0.append(number) }
        }
    }

    /// Returns the change that is submitted.
    private func stored(_ number: UInt64, of subscriber: EventSubscriber) -> Change {
        .acknowledge(subscriber, upTo: number, now: Timestamp(milliseconds: 9))
    }

    private var numbersAnswered: [UInt64] { answered.numbers.withLock { $0.sorted() } }

    @Test func `acknowledgements beyond the rate limit are one write a second`() {
        for number in 1...1_000 as ClosedRange<UInt64> { acknowledge(number, of: billing) }
        #expect(registry.changes == [stored(1, of: billing), stored(2, of: billing)])
        #expect(numbersAnswered == [1, 2], "what is answered is on disk")
        loop.advanceTime(by: .milliseconds(999))
        #expect(registry.changes.count == 2)
        loop.advanceTime(by: .milliseconds(1))
        #expect(registry.changes.dropFirst(2) == [stored(1_000, of: billing)])
        #expect(numbersAnswered == Array(1...1_000))
    }

    @Test func `acknowledgements within the rate limit are written at once`() {
        for number in 1...10 as ClosedRange<UInt64> {
            acknowledge(number, of: billing, at: Uptime(milliseconds: number * 500))
        }
        #expect(registry.changes.count == 10)
        let free = Principal(name: "free", grants: [])
        let subscriber = EventSubscriber(principal: "free", name: "billing")
        for number in 1...100 as ClosedRange<UInt64> { acknowledge(number, of: subscriber, as: free) }
        #expect(registry.changes.count == 110)
    }

    @Test func `an acknowledgement does not overtake an earlier one`() {
        for number in 1...3 as ClosedRange<UInt64> { acknowledge(number, of: billing) }
        // The rate limit has room again, but 3 waits.
        acknowledge(4, of: billing, at: 900)
        #expect(registry.changes.count == 2)
        acknowledge(1, of: audit, at: 900)
        #expect(registry.changes.last == stored(1, of: audit))
        loop.advanceTime(by: .seconds(1))
        #expect(registry.changes.last == stored(4, of: billing))
        acknowledge(5, of: billing, at: 2_000)
        #expect(registry.changes.last == stored(5, of: billing))
    }

    @Test func `waiting acknowledgements are written before the name is forgotten`() {
        for number in 1...3 as ClosedRange<UInt64> { acknowledge(number, of: billing) }
        acknowledge(7, of: audit)
        acknowledgements.writeDeferred(of: billing)
        #expect(registry.changes.last == stored(3, of: billing))
        acknowledgements.writeDeferred(of: billing)
        #expect(registry.changes.count == 3)
        acknowledgements.writeAll()
        #expect(registry.changes.last == stored(7, of: audit))
        loop.advanceTime(by: .seconds(1))
        #expect(registry.changes.count == 4, "nothing is written twice")
        #expect(numbersAnswered == [1, 2, 3, 7])
    }
}
