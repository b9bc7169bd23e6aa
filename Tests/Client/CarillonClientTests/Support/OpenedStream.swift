import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire

/// A stream of events that a client has opened, and the other end of its connection.
struct OpenedStream {
    let client: CarillonClient
    let server: ScriptedServer
    let peer: ScriptedPeer
    /// The id of the subscription, and its request.
    let id: UInt64
    let subscription: SubscribeEventsRequest
    let events: EventStream

    /// Makes the event that the server sends under a number.
    static func event(_ sequence: UInt64) -> Event {
        Event(
            sequence: sequence, at: Timestamp(milliseconds: 1), kind: .messageFinished, app: TestApps.game,
            count: sequence)
    }

    /// Opens a stream: the server answers the subscription with `sequence`, the event after which it begins.
    static func open(
        after sequence: UInt64 = 0,
        _ open: @escaping @Sendable (CarillonClient) async throws -> EventStream = { try await $0.events() }
    ) async throws -> OpenedStream {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(configuration: scriptedConfiguration(server.port))
        async let events = open(client)
        let peer = try await server.accept()
        let (id, subscription) = try await peer.subscription(after: sequence)
        return OpenedStream(
            client: client, server: server, peer: peer, id: id, subscription: subscription, events: try await events)
    }
}

extension ScriptedPeer {
    /// Receives the next SUBSCRIBE_EVENTS of the client, and answers it.
    func subscription(after sequence: UInt64) async throws -> (id: UInt64, SubscribeEventsRequest) {
        let (id, subscription) = try await request(SubscribeEventsRequest.self)
        answer(id, sequence, to: SubscribeEventsRequest.self)
        return (id, subscription)
    }

    /// Receives the next EVENT_CREDIT of the client, and answers it.
    func credit() async throws -> EventCreditRequest {
        let (id, credit) = try await request(EventCreditRequest.self)
        answer(id, EmptyAnswer(), to: EventCreditRequest.self)
        return credit
    }

    /// Sends events with these numbers.
    func tell(_ sequences: ClosedRange<UInt64>, on id: UInt64) {
        send { writer in
            for sequence in sequences { writer.event(.event(OpenedStream.event(sequence)), subscription: id) }
        }
    }
}
