import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import NIOEmbedded

@testable import CarillonServer

/// The session of one client, and its subscriptions.
final class EventClient {
    static let principal = Principal(name: "observer", grants: [Grant(app: nil, roles: [.observe])])

    var session: ServerSession
    let sender: EventSender
    var isWritable = true
    private let now = Moment(wall: .zero, uptime: 0)

    init(hub: EventHub, reader: FakeEventPageReader, loop: EmbeddedEventLoop) {
        session = ServerSession(limits: SessionLimits(), helloAnswer: .scripted(), now: 0)
        sender = EventSender(hub: hub, reader: reader, loop: loop)
        sender.onEvents = { [unowned self] in send() }
        session.transportReady(principal: Self.principal, at: 0)
        var writer = FrameWriter()
        writer.raw(Preface.clientBytes)
        writer.request(HelloRequest(software: "test/1"), id: 1)
        _ = receive(writer.take())
        _ = session.output.take()
    }

    /// Sends what the credit allows, as the dispatcher does.
    func send() { sender.send(through: &session, isWritable: isWritable) }

    /// Passes frames to the session; returns the last step that is for the caller.
    private func receive(_ bytes: [UInt8]) -> ServerSession.Step? {
        var rest = bytes[...]
        var last: ServerSession.Step?
        while !rest.isEmpty {
            let (consumed, step) = rest.withUnsafeBytes { session.received($0, at: now) }
            guard consumed > 0 else { break }
            rest = rest.dropFirst(consumed)
            if step != .proceed { last = step }
        }
        return last
    }

    private func receive(_ request: some CarillonWire.Operation, id: UInt64) -> ServerSession.Step? {
        var writer = FrameWriter()
        writer.request(request, id: id)
        return receive(writer.take())
    }

    /// Asks for a subscription.
    func request(_ id: UInt64, credit: UInt64) throws {
        let step = receive(SubscribeEventsRequest(credit: credit), id: id)
        guard case .subscribeEvents(let subscription, let context) = step else {
            throw ScriptedServer.UnexpectedPeerAction.noConnection
        }
        sender.subscriptionRequested(subscription, in: context)
    }

    /// Answers the subscription.
    func answer(_ id: UInt64, after sequence: UInt64) {
        session.answer(EncodedAnswer(sequence, to: SubscribeEventsRequest.self), id: id)
        sender.subscriptionBegan(id, after: sequence)
        send()
    }

    func subscribe(_ id: UInt64, credit: UInt64 = 1_000, after sequence: UInt64 = 40) throws {
        try request(id, credit: credit)
        answer(id, after: sequence)
    }

    /// Raises the credit of a subscription to this number of events in all.
    func raise(_ subscription: UInt64, to credit: UInt64, id: UInt64) {
        _ = receive(EventCreditRequest(subscription: subscription, totalCredit: credit, acknowledgedUpTo: 0), id: id)
        send()
    }

    func unsubscribe(_ subscription: UInt64, id: UInt64) {
        _ = receive(UnsubscribeEventsRequest(subscription: subscription), id: id)
        sender.subscriptionEnded(subscription)
    }

    /// Returns the events that were sent since the last call: `subscription: number`.
    func events() throws -> [String] {
        let bytes = session.output.take()
        return try bytes.withUnsafeBytes { bytes in
            var offset = 0
            var lines: [String] = []
            while let header = FrameHeader(UnsafeRawBufferPointer(rebasing: bytes[offset...])) {
                let end = offset + FrameHeader.byteCount + Int(header.length)
                if header.kind == FrameKind.event.rawValue {
                    let payload = UnsafeRawBufferPointer(rebasing: bytes[(offset + FrameHeader.byteCount)..<end])
                    lines.append("\(header.id): \(try EventNotice(decoding: payload).sequence)")
                }
                offset = end
            }
            return lines
        }
    }
}

/// The pages that are asked for: the test answers.
// Safety: a test runs on one thread.
final class FakeEventPageReader: EventPageReader, @unchecked Sendable {
    /// The reads that are not answered, the oldest first.
    var waiting: [(after: UInt64, completion: @Sendable (EventPage?) -> Void)] = []
    /// False if the client may no longer observe anything.
    var mayObserve = true

    func filter(of subscription: SubscribeEventsRequest, for principal: Principal) -> EventFilter? {
        mayObserve ? subscription.filter : nil
    }

    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, for principal: String,
        _ completion: @escaping @Sendable (EventPage?) -> Void
    ) {
        waiting.append((sequence, completion))
    }
}
