import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let message = MessageID(rawValue: 42)

/// Updates of a message by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientMessageUpdatesTests {
    @Test(arguments: [.cancel, .pause, .resume, .pace(500), .pace(nil)] as [MessageUpdate])
    func aMessageUpdateIsOneRequestAndReturnsTheState(_ messageUpdate: MessageUpdate) async throws {
        let made = try await requests([AnyAnswer(MessageState.paused, to: UpdateMessageRequest.self)]) { client in
            let state = try await client.updateMessage(message, app: app, with: messageUpdate)
            #expect(state == .paused)
        }
        #expect(made == [AnyRequest(UpdateMessageRequest(app: app, id: message, messageUpdate: messageUpdate))])
    }
}
