import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// The status of a message and the outcomes of its recipients, by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ClientMessageStatusTests {
    @Test func outcomesAreFetchedPageByPage() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let outcomes = { () async throws -> [UInt64] in
            var ids: [UInt64] = []
            for try await recipient in client.outcomes(of: MessageID(rawValue: 5), app: app) {
                ids.append(recipient.device?.rawValue ?? 0)
            }
            return ids
        }()
        let peer = try await server.accept()
        let pages: [(cursor: UInt64, next: UInt64, ids: [UInt64])] = [
            (cursor: 0, next: 4, ids: [1, 2]), (cursor: 4, next: 9, ids: []), (cursor: 9, next: 0, ids: [8]),
        ]
        for (cursor, next, ids) in pages {
            let (id, request) = try await peer.request()
            #expect(
                request
                    == AnyRequest(
                        MessageOutcomesRequest(app: app, id: MessageID(rawValue: 5), cursor: cursor, limit: 1_000)))
            let rows = ids.map { RecipientOutcome(device: DeviceID(rawValue: $0), outcome: .delivered) }
            peer.answer(id, RecipientOutcomePage(next: next, recipients: rows), to: MessageOutcomesRequest.self)
        }
        #expect(try await outcomes == [1, 2, 8])
    }

    @Test func waitingForAMessageAsksUntilItIsFinished() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let status = client.waitUntilFinished(MessageID(rawValue: 1), app: app)
        let peer = try await server.accept()
        var sending = MessageStatus.finished(total: 3)
        sending.state = .sending
        peer.answer(try await peer.request().id, sending, to: MessageStatusRequest.self)
        peer.answer(try await peer.request().id, MessageStatus.finished(total: 3), to: MessageStatusRequest.self)
        #expect(try await status.state == .finished)
    }
}
