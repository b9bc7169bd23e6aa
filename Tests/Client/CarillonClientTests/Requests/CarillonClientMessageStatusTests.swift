import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// The status of a message and the outcomes of its recipients, by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientMessageStatusTests {
    @Test func outcomesAreListedBeyondAnEmptyPage() async throws {
        let id = MessageID(rawValue: 5)
        let rows = [1, 2, 8].map { RecipientOutcome(device: DeviceID(rawValue: $0), outcome: .delivered) }
        let pages = [
            RecipientOutcomePage(next: 4, recipients: Array(rows[..<2])),
            RecipientOutcomePage(next: 9, recipients: []),
            RecipientOutcomePage(next: 0, recipients: [rows[2]]),
        ]
        let (made, listed) = try await listing(pages.map { AnyAnswer($0, to: MessageOutcomesRequest.self) }) {
            $0.outcomes(of: id, app: app)
        }
        #expect(listed == rows)
        #expect(
            made == [0, 4, 9].map { AnyRequest(MessageOutcomesRequest(app: app, id: id, cursor: $0, limit: 1_000)) })
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
