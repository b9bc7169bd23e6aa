import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

private func event(_ sequence: UInt64) -> EventNotice {
    .event(Event(sequence: sequence, at: Timestamp(milliseconds: 5), kind: .messageFinished, app: app))
}

/// The events that a client's session hands on, and those that end it: events beyond the credit or of no form.
struct ClientSessionEventTests {
    /// Returns a session that has opened and whose next request has the id 2.
    private func open() -> ClientSession {
        var session = ClientSession(options: ClientSessionOptions(software: "test/1"), now: 1_000)
        _ = session.output.take()
        _ = Preface.serverBytes(choosing: 1).withUnsafeBytes { session.received($0, at: 1_000) }
        _ = receive(&session) { $0.answer(.scripted(), to: HelloRequest.self, id: 1) }
        return session
    }

    private func receive(_ session: inout ClientSession, _ write: (inout FrameWriter) -> Void) -> ClientStep {
        var writer = FrameWriter()
        write(&writer)
        return writer.bytes.withUnsafeBytes { session.received($0, at: 1_000) }.step
    }

    private func subscribed(credit: UInt64) -> ClientSession {
        var session = open()
        let subscription = SubscribeEventsRequest(credit: credit)
        #expect(session.submit(subscription, deadline: nil, at: 1_000) == .sent(id: 2))
        let answer = receive(&session) { $0.answer(40, to: SubscribeEventsRequest.self, id: 2) }
        #expect(answer == .answered(AnyAnswer(40, to: SubscribeEventsRequest.self), id: 2))
        _ = session.output.take()
        return session
    }

    private func isGarbled(_ step: ClientStep) -> Bool {
        guard case .close(let sessionEnd) = step, case .garbled = sessionEnd.reason else { return false }
        return true
    }

    @Test func `events are passed to the client`() {
        var session = subscribed(credit: 2)
        #expect(receive(&session) { $0.event(event(41), subscription: 2) } == .event(event(41), subscription: 2))
        let gap = EventNotice.gap(missed: 42..<50, at: .zero)
        #expect(receive(&session) { $0.event(gap, subscription: 2) } == .event(gap, subscription: 2))
    }

    @Test func `a server that exceeds the credit ends the session`() {
        var session = subscribed(credit: 1)
        _ = receive(&session) { $0.event(event(41), subscription: 2) }
        #expect(isGarbled(receive(&session) { $0.event(event(42), subscription: 2) }))
        #expect(session.isClosed)
    }

    @Test func `more credit allows more events`() {
        var session = subscribed(credit: 1)
        _ = receive(&session) { $0.event(event(41), subscription: 2) }
        let credit = EventCreditRequest(subscription: 2, totalCredit: 2, acknowledgedUpTo: 41)
        #expect(session.submit(credit, deadline: nil, at: 1_000) == .sent(id: 3))
        #expect(receive(&session) { $0.event(event(42), subscription: 2) } == .event(event(42), subscription: 2))
        #expect(
            receive(&session) { $0.answer(EmptyAnswer(), to: EventCreditRequest.self, id: 3) }
                == .answered(AnyAnswer(EmptyAnswer(), to: EventCreditRequest.self), id: 3))
    }

    @Test func `an event with the id zero ends the session`() {
        var session = subscribed(credit: 9)
        #expect(isGarbled(receive(&session) { $0.event(event(41), subscription: 0) }))
    }

    @Test(arguments: [3, UInt64.max])
    func `an event of no subscription is ignored`(_ id: UInt64) {
        var session = subscribed(credit: 9)
        #expect(receive(&session) { $0.event(event(41), subscription: id) } == .proceed)
    }

    @Test func `an event before the answer ends the session`() {
        var session = open()
        _ = session.submit(SubscribeEventsRequest(credit: 1), deadline: nil, at: 1_000)
        #expect(isGarbled(receive(&session) { $0.event(event(41), subscription: 2) }))
    }

    @Test func `events on their way when the subscription ends are ignored`() {
        var session = subscribed(credit: 9)
        let end = UnsubscribeEventsRequest(subscription: 2)
        #expect(session.submit(end, deadline: nil, at: 1_000) == .sent(id: 3))
        #expect(receive(&session) { $0.event(event(41), subscription: 2) } == .proceed)
        #expect(
            receive(&session) { $0.answer(EmptyAnswer(), to: UnsubscribeEventsRequest.self, id: 3) }
                == .answered(AnyAnswer(EmptyAnswer(), to: UnsubscribeEventsRequest.self), id: 3))
    }

    @Test func `an abandoned subscription is ended`() throws {
        var session = open()
        _ = session.submit(SubscribeEventsRequest(credit: 9), deadline: nil, at: 1_000)
        session.abandon(2, at: 1_000)
        _ = session.output.take()
        #expect(receive(&session) { $0.answer(40, to: SubscribeEventsRequest.self, id: 2) } == .proceed)
        let sent = session.output.take()
        let header = try #require(sent.withUnsafeBytes { FrameHeader($0) })
        #expect(header.opcode == .unsubscribeEvents)
        #expect(header.id == 3)
        #expect(receive(&session) { $0.event(event(41), subscription: 2) } == .proceed)
        let sessionEnd = session.closeWhenAnswered()
        #expect(sessionEnd?.reason == .finished, "no caller waits for the answer to UNSUBSCRIBE_EVENTS")
    }

    @Test func `an event that cannot be read ends the session`() {
        var session = subscribed(credit: 9)
        var writer = FrameWriter()
        writer.event(event(41), subscription: 2)
        // The last byte of the payload is missing, and the length in the header says so.
        var bytes = Array(writer.bytes.dropLast())
        let lastByteOfLength = 3
        bytes[lastByteOfLength] -= 1
        let step = bytes.withUnsafeBytes { session.received($0, at: 1_000) }.step
        #expect(isGarbled(step))
    }

    @Test func `the session of the vectors is read step by step`() throws {
        let options = ClientSessionOptions(software: "py/1.0", key: Array("crln_key".utf8))
        var session = ClientSession(options: options, now: 1_000)
        let subscription = SubscribeEventsRequest(name: "ops", apps: [app], credit: 2)
        var steps: [String] = []
        for bytes in try Vectors.serverSteps(ofSession: "events") {
            let (consumed, step) = bytes.withUnsafeBytes { session.received($0, at: 1_000) }
            #expect(consumed == bytes.count)
            switch step {
            case .opened:
                #expect(session.submit(subscription, deadline: nil, at: 1_000) == .sent(id: 3))
            case .event(let notice, let id):
                steps.append("event \(notice.sequence) of \(id)")
                if notice.sequence == 41 {
                    let credit = EventCreditRequest(subscription: 3, totalCredit: 4, acknowledgedUpTo: 41)
                    #expect(session.submit(credit, deadline: nil, at: 1_000) == .sent(id: 4))
                }
                if notice.sequence == 43 {
                    let end = UnsubscribeEventsRequest(subscription: 3)
                    #expect(session.submit(end, deadline: nil, at: 1_000) == .sent(id: 5))
                }
            case .answered(_, let id): steps.append("answer \(id)")
            default: #expect(step == .proceed)
            }
        }
        #expect(
            steps == ["answer 3", "event 37 of 3", "event 41 of 3", "answer 4", "event 43 of 3", "answer 5"])
    }
}
