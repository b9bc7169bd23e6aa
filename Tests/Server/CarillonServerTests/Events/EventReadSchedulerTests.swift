import CarillonCore
import CarillonWire
import NIOCore
import NIOEmbedded
import Testing

@testable import CarillonServer

/// The reads of events of one loop take turns, and the loop serves its sockets between two of them.
struct EventReadSchedulerTests {
    /// A reader that is never asked: the scheduler knows subscriptions only by their identity.
    private struct NoReader: EventPageReader {
        func filter(of subscription: SubscribeEventsRequest, for principal: Principal) -> EventFilter? { nil }
        func readEvents(
            after sequence: UInt64, matching filter: EventFilter, for principal: String,
            _ completion: @escaping @Sendable (EventPage?) -> Void
        ) {}
    }

    /// The events in order, and the closure that ends the running read.
    private final class Transcript {
        var lines: [String] = []
        var end: (() -> Void)?
    }

    private let loop = EmbeddedEventLoop()
    private let hub = EventHub()
    private let scheduler: EventReadScheduler
    private let transcript = Transcript()

    init() { scheduler = EventReadScheduler(hub, on: loop) }

    /// Schedules a read that the test ends.
    private func schedule(_ name: String) {
        scheduler.schedule { [transcript] done in
            transcript.lines.append("begin \(name)")
            transcript.end = {
                transcript.lines.append("end \(name)")
                done()
            }
            return true
        }
    }

    /// Schedules a read whose subscription has ended when its turn comes.
    private func scheduleEnded() { scheduler.schedule { _ in false } }

    /// Ends the running read, and lets the interval pass.
    private func endRead() {
        transcript.end?()
        transcript.end = nil
        loop.advanceTime(by: EventReadScheduler.interval)
    }

    private func makeSender() -> EventSender { EventSender(hub: hub, reader: NoReader(), loop: loop) }

    /// Writes a line whenever the subscriptions of a session are told of new events.
    private func observe(_ sender: EventSender, _ name: String) {
        scheduler.add(sender) { [transcript] in transcript.lines.append("\(name) is told") }
    }

    // MARK: Reads

    @Test func `one read runs at a time in the order of the requests`() {
        for name in ["a", "b", "c"] { schedule(name) }
        #expect(transcript.lines == ["begin a"])
        loop.advanceTime(by: .seconds(60))
        #expect(transcript.lines == ["begin a"], "a slow read is waited for")
        for _ in 1...3 { endRead() }
        #expect(transcript.lines == ["begin a", "end a", "begin b", "end b", "begin c", "end c"])
    }

    @Test func `the loop serves its sockets between two reads`() {
        for name in ["a", "b"] { schedule(name) }
        transcript.end?()
        loop.execute { [transcript] in transcript.lines.append("a socket") }
        loop.advanceTime(by: EventReadScheduler.interval - .nanoseconds(1))
        #expect(transcript.lines == ["begin a", "end a", "a socket"])
        loop.advanceTime(by: .nanoseconds(1))
        #expect(transcript.lines.last == "begin b")
    }

    @Test func `a read that comes in the pause waits for its end`() {
        schedule("a")
        transcript.end?()
        schedule("b")
        #expect(transcript.lines == ["begin a", "end a"])
        loop.advanceTime(by: EventReadScheduler.interval)
        #expect(transcript.lines == ["begin a", "end a", "begin b"])
    }

    @Test func `a subscription that catches up does not overtake another`() {
        schedule("history, page 1")
        schedule("news")
        transcript.end?()
        schedule("history, page 2")
        for _ in 1...3 { endRead() }
        #expect(
            transcript.lines.filter { $0.hasPrefix("begin") } == [
                "begin history, page 1", "begin news", "begin history, page 2",
            ])
    }

    /// A hostile client makes subscriptions and ends them before they are read.
    @Test func `ended subscriptions delay no other`() {
        schedule("a")
        for _ in 1...100_000 { scheduleEnded() }
        schedule("b")
        endRead()
        #expect(transcript.lines == ["begin a", "end a", "begin b"])
        for _ in 1...100_000 { scheduleEnded() }
        endRead()
        schedule("c")
        #expect(transcript.lines.last == "begin c")
    }

    // MARK: New events

    @Test func `many new events wake the loop once`() {
        let a = makeSender()
        let b = makeSender()
        observe(a, "a")
        observe(b, "b")
        for number in 1...1_000 as ClosedRange<UInt64> { hub.eventsPublished(upTo: number) }
        #expect(transcript.lines == [])
        loop.run()
        #expect(transcript.lines.sorted() == ["a is told", "b is told"])
        hub.eventsPublished(upTo: 1_001)
        loop.run()
        #expect(transcript.lines.count == 4, "what comes after the loop ran wakes it again")
    }

    @Test func `an ended subscription is not told`() {
        let a = makeSender()
        let b = makeSender()
        observe(a, "a")
        observe(b, "b")
        hub.eventsPublished(upTo: 1)
        scheduler.remove(a)
        loop.run()
        #expect(transcript.lines == ["b is told"])
        scheduler.remove(b)
        hub.eventsPublished(upTo: 2)
        loop.run()
        #expect(transcript.lines == ["b is told"])
    }

    @Test func `a subscription after the end of the last is told once`() {
        let a = makeSender()
        let b = makeSender()
        observe(a, "a")
        scheduler.remove(a)
        observe(b, "b")
        hub.eventsPublished(upTo: 1)
        loop.run()
        #expect(transcript.lines == ["b is told"])
    }
}
