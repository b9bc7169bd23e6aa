import CarillonClient
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// The reports that the hooks of a client get, and options of single calls.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ClientHooksTests {
    /// Makes a call that the server first refuses for two milliseconds; returns what the hooks were told.
    private func reportsOfARetriedCall(to server: ScriptedServer) async throws
        -> (calls: [CallReport], retries: [RetryReport])
    {
        var configuration = scriptedConfiguration(server.port)
        let calls = Watched<[CallReport]>([])
        let retries = Watched<[RetryReport]>([])
        configuration.hooks.onCall = { report in calls.change { $0.append(report) } }
        configuration.hooks.onRetry = { report in retries.change { $0.append(report) } }
        let client = CarillonClient(configuration: configuration)
        async let status = client.status(of: MessageID(rawValue: 1), app: app)
        let peer = try await server.accept()
        let (first, _) = try await peer.request()
        peer.refuse(
            first, opcode: .messageStatus, RequestError(.rateLimited, retry: .after(milliseconds: 2), message: "slower")
        )
        peer.answer(try await peer.request().id, MessageStatus.finished(total: 1), to: MessageStatusRequest.self)
        _ = try await status
        return (calls.now, retries.now)
    }

    @Test func `a call is reported once with the number of its attempts`() async throws {
        let server = try await ScriptedServer.start()
        let calls = try await reportsOfARetriedCall(to: server).calls
        #expect(calls.count == 1)
        let call = try #require(calls.first)
        #expect(call.operation == "message-status")
        #expect(call.attempts == 2)
        #expect(call.code == nil)
        #expect(call.effect == .executed)
        #expect(call.duration > .milliseconds(2))
        #expect(call.address == .tcp(host: "127.0.0.1", port: server.port))
    }

    @Test func `a retry is reported with its error and its pause`() async throws {
        let retries = try await reportsOfARetriedCall(to: try await ScriptedServer.start()).retries
        #expect(retries.count == 1)
        let retry = try #require(retries.first)
        #expect(retry.attempt == 1)
        #expect(retry.error.code == .rateLimited)
        #expect(retry.pause >= .milliseconds(2))
    }

    @Test func `a view of a client has its own time and shares the connection`() async throws {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(configuration: scriptedConfiguration(server.port))
        try await client.connect()
        let hasty = client.with(timeout: .milliseconds(30))
        let error = await #expect(throws: CarillonError.self) {
            try await hasty.status(of: MessageID(rawValue: 1), app: app)
        }
        #expect(error?.code == .noAnswer)
        #expect(error?.effect == .notExecuted)
        async let status = client.status(of: MessageID(rawValue: 2), app: app)
        let peer = try await server.accept()
        var (id, request) = try await peer.request()
        // On a busy machine the time of the first call can be over before it is sent.
        if request == AnyRequest(MessageStatusRequest(app: app, id: MessageID(rawValue: 1))) {
            (id, request) = try await peer.request()
        }
        peer.answer(id, MessageStatus.finished(total: 2), to: MessageStatusRequest.self)
        #expect(try await status.total == 2)
    }
}
