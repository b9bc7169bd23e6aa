import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CallCancellationTests {
    @Test func `a cancelled call ends before its answer and the connection goes on`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        let call = Task { await failure { () throws(CarillonError) in try await client.send(Samples.message) } }
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        call.cancel()
        let error = await call.value
        #expect(error?.code == .cancelled)
        #expect(error?.effect == .unknown)
        // The late answer does no harm, and the connection goes on.
        peer.answer(
            id, SendResult(id: MessageID(rawValue: 1), isDuplicate: false, total: 1, ended: 0), to: SendRequest.self)
        async let lookup = client.lookup(.id(Samples.device.id), app: app)
        peer.answer(try await peer.request().id, Samples.device, to: LookupRequest.self)
        #expect(try await lookup == Samples.device)
    }

    @Test func `a call of a cancelled task is not sent`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let connected: Void = client.connect()
        let peer = try await server.accept()
        try await connected
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () throws(CarillonError) in try await client.send(Samples.message) }
        }
        let error = await call.value
        #expect(error?.code == .cancelled)
        #expect(error?.effect == .notExecuted)
        // The next call is the first request that the peer gets.
        async let lookup = client.lookup(.id(Samples.device.id), app: app)
        let (id, request) = try await peer.request()
        #expect(request.operation is LookupRequest)
        peer.answer(id, Samples.device, to: LookupRequest.self)
        #expect(try await lookup == Samples.device)
    }
}
