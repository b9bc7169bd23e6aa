import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

private func event(_ sequence: UInt64) -> EventNotice {
    .event(Event(sequence: sequence, at: Timestamp(milliseconds: 5), kind: .messageFinished, app: app))
}

/// The events of a server, which are no more than the client has credit for.
struct ServerSessionEventsTests: ServerSessionScript {
    private func send(_ request: some Operation, id: UInt64, from client: ScriptedClient) {
        var writer = FrameWriter()
        writer.request(request, id: id)
        client.send(writer.bytes)
    }

    private func subscribe(_ id: UInt64, credit: UInt64, _ client: ScriptedClient) {
        send(SubscribeEventsRequest(credit: credit), id: id, from: client)
        client.session.answer(EncodedAnswer(40, to: SubscribeEventsRequest.self), id: id)
        client.listen()
    }

    /// Sends an event on subscription 3; returns false if it may not be sent.
    private func sendEvent(_ sequence: UInt64, _ client: ScriptedClient) -> Bool {
        client.session.sendEvent(event(sequence), on: 3)
    }

    private func canSend(_ subscription: UInt64, _ client: ScriptedClient) -> Bool {
        client.session.canSendEvent(subscription)
    }

    private func sequences(_ client: ScriptedClient) throws -> [UInt64] {
        try client.frames.filter { $0.header.kind == FrameKind.event.rawValue }.map { frame in
            try frame.payload.withUnsafeBytes { try EventNotice(decoding: $0) }.sequence
        }
    }

    @Test func `events follow the answer within the credit`() throws {
        let client = try open()
        send(SubscribeEventsRequest(credit: 2), id: 3, from: client)
        #expect(client.requests == [AnyRequest(SubscribeEventsRequest(credit: 2))])
        #expect(!canSend(3, client), "not before the answer")
        client.session.answer(EncodedAnswer(40, to: SubscribeEventsRequest.self), id: 3)
        #expect((41...44 as ClosedRange<UInt64>).map { sendEvent($0, client) } == [true, true, false, false])
        client.listen()
        #expect(try sequences(client) == [41, 42])
        let kinds = client.frames.map { FrameKind(rawValue: $0.header.kind) }
        #expect(kinds == [.answer, .event, .event])
        #expect(client.frames.map(\.header.id) == [3, 3, 3])
        #expect(client.frames.map(\.header.opcode) == [.subscribeEvents, .subscribeEvents, .subscribeEvents])
    }

    @Test func `credit is absolute and never less`() throws {
        let client = try open()
        subscribe(3, credit: 1, client)
        #expect(sendEvent(41, client))
        send(EventCreditRequest(subscription: 3, totalCredit: 0, acknowledgedUpTo: 41), id: 4, from: client)
        #expect(!canSend(3, client))
        let credit = EventCreditRequest(subscription: 3, totalCredit: 2)
        send(credit, id: 5, from: client)
        #expect(
            client.requests.last == AnyRequest(credit), "the caller sends events and stores the acknowledgement")
        #expect(sendEvent(42, client))
        #expect(!canSend(3, client))
        send(EventCreditRequest(subscription: 3, totalCredit: .max), id: 6, from: client)
        #expect(sendEvent(43, client))
    }

    @Test func `no event is written while the socket does not take the output`() throws {
        var limits = SessionLimits()
        limits.eventBytesWaiting = 100
        let client = try open(limits)
        subscribe(3, credit: .max, client)
        var sent: UInt64 = 0
        while sendEvent(sent, client), sent < 1_000 { sent += 1 }
        #expect((1..<10).contains(sent))
        client.listen()
        #expect(canSend(3, client))
    }

    @Test func `a refused subscription carries no events`() throws {
        let client = try open()
        send(SubscribeEventsRequest(credit: 9), id: 3, from: client)
        client.session.fail(RequestError(.forbidden, message: "no"), id: 3, at: 1_000)
        #expect(!sendEvent(41, client))
        send(EventCreditRequest(subscription: 3, totalCredit: 10), id: 4, from: client)
        #expect(client.lastError?.code == .notFound)
    }

    @Test func `the client can end a subscription`() throws {
        let client = try open()
        subscribe(3, credit: 9, client)
        send(UnsubscribeEventsRequest(subscription: 3), id: 4, from: client)
        #expect(!sendEvent(41, client))
        client.session.answer(EncodedAnswer(EmptyAnswer(), to: UnsubscribeEventsRequest.self), id: 4)
        client.listen()
        #expect(client.frames.last?.header.kind == FrameKind.answer.rawValue)
    }

    @Test func `an unknown subscription is not found`() throws {
        let client = try open()
        let requests: [any Operation] = [
            EventCreditRequest(subscription: 3, totalCredit: 1),
            UnsubscribeEventsRequest(subscription: .max),
        ]
        for (id, request) in zip(UInt64(3)..., requests) {
            send(request, id: id, from: client)
            #expect(client.lastError?.code == .notFound)
            #expect(client.lastError?.field == "subscription")
        }
        #expect(client.requests.isEmpty)
    }

    @Test func `a principal that may not observe changes no subscription`() throws {
        let client = try open()
        subscribe(3, credit: 9, client)
        let other = Principal(name: "test", grants: [Grant(app: Self.app, roles: .send)])
        client.session.principalChanged(to: other, at: 1_000, reconnectAfterMilliseconds: 500)
        send(EventCreditRequest(subscription: 3, totalCredit: 10, acknowledgedUpTo: 41), id: 4, from: client)
        #expect(client.lastError?.code == .forbidden)
        send(UnsubscribeEventsRequest(subscription: 3), id: 5, from: client)
        #expect(client.lastError?.code == .forbidden)
        #expect(client.requests.count == 1)
    }

    @Test func `a connection has at most eight subscriptions`() throws {
        let client = try open()
        for id: UInt64 in 3...10 { subscribe(id, credit: 1, client) }
        send(SubscribeEventsRequest(credit: 1), id: 11, from: client)
        #expect(client.lastError?.code == .invalidArgument)
        #expect(client.lastError?.limit == 8)
        #expect(client.requests.count == 8)
        send(UnsubscribeEventsRequest(subscription: 5), id: 12, from: client)
        send(SubscribeEventsRequest(credit: 1), id: 13, from: client)
        #expect(client.requests.count == 10)
    }

    @Test func `subscriptions end with the connection`() throws {
        let client = try open()
        subscribe(3, credit: 9, client)
        client.session.inputClosed()
        #expect(client.isClosed, "a subscription is not a request that waits for an answer")
        #expect(!sendEvent(41, client))
    }
}
