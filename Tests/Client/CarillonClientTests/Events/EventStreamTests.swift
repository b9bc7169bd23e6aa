import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

private func event(_ sequence: UInt64) -> Event { OpenedStream.event(sequence) }

/// Streams of events, over one connection and over several.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct EventStreamTests {
    @Test func `events come in order and are acknowledged`() async throws {
        let stream = try await OpenedStream.open(after: 10) {
            try await $0.events(name: "billing", apps: [app], kinds: [.messageFinished])
        }
        #expect(
            stream.subscription
                == SubscribeEventsRequest(name: "billing", apps: [app], kinds: [.messageFinished], credit: 256))
        stream.peer.tell(11...13, on: stream.id)
        stream.peer.send { $0.event(.gap(missed: 14..<20, at: .zero), subscription: stream.id) }
        var iterator = stream.events.makeAsyncIterator()
        for sequence in 11...13 as ClosedRange<UInt64> {
            #expect(try await iterator.next() == .event(event(sequence)))
        }
        #expect(try await iterator.next() == .gap(14..<20))
        try stream.events.acknowledge(upTo: 13)
        async let flushed: Void = stream.events.flush()
        let credit = try await stream.peer.credit()
        #expect(credit.subscription == stream.id)
        #expect(credit.acknowledgedUpTo == 13)
        #expect(credit.totalCredit == 256, "more than half of the window is left")
        try await flushed
        await stream.client.close()
        #expect(try await iterator.next() == nil)
    }

    @Test func `a stream goes on after the last event on the next connection`() async throws {
        let stream = try await OpenedStream.open { try await $0.events(name: "billing") }
        stream.peer.tell(1...2, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        #expect(try await iterator.next() == .event(event(1)))
        #expect(try await iterator.next() == .event(event(2)))
        try stream.events.acknowledge(upTo: 1)
        // Lost on the way: it is sent again on the next connection.
        _ = try await stream.peer.request()
        stream.peer.close()
        let second = try await stream.server.accept()
        let (again, subscription) = try await second.subscription(after: 2)
        #expect(subscription.from == 2)
        #expect(subscription.name == "billing")
        second.tell(2...3, on: again)
        #expect(try await second.credit().acknowledgedUpTo == 1)
        #expect(try await iterator.next() == .event(event(3)))
    }

    @Test func `a slow consumer is sent no more than its window`() async throws {
        let stream = try await OpenedStream.open { try await $0.events(from: .now, window: 1_024) }
        #expect(stream.subscription.from == .max)
        #expect(stream.subscription.credit == 1_024)
        stream.peer.tell(1...1_024, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        for sequence in 1...600 as ClosedRange<UInt64> {
            #expect(try await iterator.next() == .event(event(sequence)))
        }
        let credit = try await stream.peer.credit()
        // Half of the window is consumed, or a little more: no credit goes beyond what is consumed and a window.
        #expect(credit.subscription == stream.id)
        #expect((1_536...1_624).contains(credit.totalCredit))
        stream.peer.tell(1_025...1_026, on: stream.id)
        for sequence in 601...1_026 as ClosedRange<UInt64> {
            #expect(try await iterator.next() == .event(event(sequence)))
        }
    }

    @Test func `closing does not wait for the answer to credit`() async throws {
        let stream = try await OpenedStream.open { try await $0.events(from: .now, window: 1_024) }
        stream.peer.tell(1...1_024, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        for sequence in 1...600 as ClosedRange<UInt64> {
            #expect(try await iterator.next() == .event(event(sequence)))
        }
        let (_, credit) = try await stream.peer.request(EventCreditRequest.self)
        #expect(credit.acknowledgedUpTo == 0)

        let closed = Task { await stream.client.close() }
        let (end, request) = try await stream.peer.request()
        #expect(request == AnyRequest(UnsubscribeEventsRequest(subscription: stream.id)))
        stream.peer.answer(end, EmptyAnswer(), to: UnsubscribeEventsRequest.self)
        try await stream.peer.closed()
        await closed.value
    }

    @Test func `closing waits for the answer to an acknowledgement that was sent`() async throws {
        let stream = try await OpenedStream.open { try await $0.events(name: "billing") }
        stream.peer.tell(1...1, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        #expect(try await iterator.next() == .event(event(1)))
        try stream.events.acknowledge(upTo: 1)
        let (sent, credit) = try await stream.peer.request(EventCreditRequest.self)
        #expect(credit.acknowledgedUpTo == 1)

        async let closed: Void = stream.client.close()
        let (end, request) = try await stream.peer.request()
        #expect(request == AnyRequest(UnsubscribeEventsRequest(subscription: stream.id)))
        stream.peer.answer(end, EmptyAnswer(), to: UnsubscribeEventsRequest.self)
        // The connection is open: a ping is answered.
        stream.peer.send { $0.ping(Ping(isAcknowledgement: false, payload: 5)) }
        #expect(try await stream.peer.control() == .ping(Ping(isAcknowledgement: true, payload: 5)))
        stream.peer.answer(sent, EmptyAnswer(), to: EventCreditRequest.self)
        await closed
        try await stream.peer.closed()
    }

    @Test func `events that the server does not keep any more appear as a gap`() async throws {
        // The oldest that the server keeps is the second.
        let stream = try await OpenedStream.open(after: 1) { try await $0.events(from: .after(0)) }
        #expect(stream.subscription.from == SubscribeEventsRequest.fromOldest)
        stream.peer.tell(2...2, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        #expect(try await iterator.next() == .gap(1..<2))
        #expect(try await iterator.next() == .event(event(2)))
    }

    @Test func `no gap appears if the server keeps every event`() async throws {
        let stream = try await OpenedStream.open { try await $0.events(from: .after(0)) }
        stream.peer.tell(1...1, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        #expect(try await iterator.next() == .event(event(1)))
    }

    @Test func `another history of the server is reported in the stream`() async throws {
        let stream = try await OpenedStream.open(after: 50)
        var iterator = stream.events.makeAsyncIterator()
        try await stream.server.stop()
        var behaviour = ScriptedServer.PeerBehaviour()
        behaviour.helloAnswer?.epoch = UUIDBytes(high: 8, low: 8)
        let other = try await ScriptedServer.start(behaviour, port: stream.server.port)
        stream.peer.close()
        let second = try await other.accept()
        let (id, subscription) = try await second.subscription(after: 3)
        #expect(subscription.from == .max)
        second.tell(4...4, on: id)
        #expect(try await iterator.next() == .newHistory)
        #expect(try await iterator.next() == .event(event(4)))
    }

    @Test func `a refusal fails the subscription`() async throws {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(configuration: scriptedConfiguration(server.port))
        let call = Task { try await client.events(apps: [app]) }
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        peer.refuse(id, opcode: .subscribeEvents, RequestError(.forbidden, message: "no"))
        let error = await #expect(throws: CarillonError.self) { _ = try await call.value }
        #expect(error?.code == .server(.forbidden))
    }

    @Test func `cancellation ends the stream and the subscription`() async throws {
        let stream = try await OpenedStream.open()
        let task = Task {
            for try await _ in stream.events {}
            return true
        }
        task.cancel()
        #expect(try await task.value, "the task ends before the server has answered")
        let (_, request) = try await stream.peer.request()
        #expect(request == AnyRequest(UnsubscribeEventsRequest(subscription: stream.id)))
        withExtendedLifetime(stream) {}
    }

    /// The acknowledgement is not sent, so the program must not believe that it is on the disk.
    @Test func `an acknowledgement after the end is not flushed`() async throws {
        let stream = try await OpenedStream.open { try await $0.events(name: "billing") }
        stream.peer.tell(1...1, on: stream.id)
        var iterator = stream.events.makeAsyncIterator()
        #expect(try await iterator.next() == .event(event(1)))
        let task = Task {
            for try await _ in stream.events { Issue.record("an element came") }
            return true
        }
        task.cancel()
        #expect(try await task.value)

        try stream.events.acknowledge(upTo: 1)
        let flush = Task { try await stream.events.flush() }
        let (end, _) = try await stream.peer.request(UnsubscribeEventsRequest.self)
        stream.peer.answer(end, EmptyAnswer(), to: UnsubscribeEventsRequest.self)
        await #expect(throws: CarillonError.self) { try await flush.value }
    }

    @Test func `no element follows the end`() async throws {
        let stream = try await OpenedStream.open(after: 3) { try await $0.events(from: .after(3)) }
        stream.peer.close()
        let second = try await stream.server.accept()
        let (id, _) = try await second.request(SubscribeEventsRequest.self)
        let task = Task {
            for try await _ in stream.events { Issue.record("an element came") }
            return true
        }
        task.cancel()
        #expect(try await task.value)
        second.answer(id, 6, to: SubscribeEventsRequest.self)
        let (end, _) = try await second.request(UnsubscribeEventsRequest.self)
        second.answer(end, EmptyAnswer(), to: UnsubscribeEventsRequest.self)
        var iterator = stream.events.makeAsyncIterator()
        #expect(try await iterator.next() == nil, "the gap is not told after the end")
    }

    @Test func `an abandoned stream is ended`() async throws {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(configuration: scriptedConfiguration(server.port))
        let call = Task { _ = try await client.events() }
        let peer = try await server.accept()
        let (id, _) = try await peer.subscription(after: 0)
        try await call.value
        let (_, request) = try await peer.request()
        #expect(request == AnyRequest(UnsubscribeEventsRequest(subscription: id)))
        withExtendedLifetime(client) {}
    }
}
