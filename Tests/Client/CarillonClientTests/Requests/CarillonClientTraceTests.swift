import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let phone = DeviceReference.id(DeviceID(rawValue: 7))
private let message = MessageID(rawValue: 42)

/// Traces of a message by calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientTraceTests {
    @Test func aMessageIsTraced() async throws {
        var sent = MessageTrace(
            device: DeviceID(rawValue: 7), state: .sending, addressing: .recipient, outcome: .pending)
        sent.sources = [.topic(TopicName("level5")!, through: GroupName("user/42"))]
        sent.language = ""
        sent.attempts = [
            TraceAttempt(endedAt: Timestamp(milliseconds: 5), connectionNumber: 3, status: 503, reason: "Shutdown")
        ]
        sent.nextAttemptAt = Timestamp(milliseconds: 9)
        let trace = sent
        let made = try await requests([AnyAnswer(trace, to: TraceRequest.self)]) { client in
            let traced = try await client.trace(message, device: phone, app: app)
            #expect(traced == trace)
        }
        #expect(made == [AnyRequest(TraceRequest(app: app, id: message, device: phone))])
    }
}
