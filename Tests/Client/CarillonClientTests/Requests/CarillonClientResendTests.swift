import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let message = MessageID(rawValue: 42)

/// Resends of a message by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientResendTests {
    @Test func aResendThatWasLostIsRepeatedWithItsKey() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let accepted = client.resend(message, app: app, to: [.gaveUp], notAfter: Timestamp(milliseconds: 9))
        let first = try await server.accept()
        let resend = try await first.request(ResendRequest.self).request
        #expect(resend.idempotencyKey != nil)
        #expect(resend.outcomes == [.gaveUp])
        #expect(resend.notAfter == Timestamp(milliseconds: 9))
        first.close()
        let second = try await server.accept()
        let (id, request) = try await second.request()
        #expect(request == AnyRequest(resend))
        second.answer(
            id, SendResult(id: MessageID(rawValue: 43), isDuplicate: true, total: 2, ended: 0), to: ResendRequest.self)
        #expect(try await accepted.id == MessageID(rawValue: 43))
    }
}
