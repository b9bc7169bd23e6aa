import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// A client itself: its pings, and its end.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientTests {
    @Test func `two pings at a time are both answered`() async throws {
        var behaviour = ScriptedServer.PeerBehaviour()
        // A PING that comes too soon waits for this long.
        behaviour.helloAnswer?.limits.pingIntervalMilliseconds = 10
        let server = try await ScriptedServer.start(behaviour)
        let client = scriptedClient(of: server)
        async let (one, two) = (client.ping(), client.ping())
        #expect(try await one > .zero)
        #expect(try await two > .zero)
    }

    @Test func `closing waits for calls under way`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let found = client.lookup(.id(Samples.device.id), app: TestApps.game)
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        async let closed: Void = client.close()
        peer.answer(id, Samples.device, to: LookupRequest.self)
        #expect(try await found == Samples.device)
        await closed
        try await peer.closed()
        let error = await failure { () throws(CarillonError) in try await client.ping() }
        #expect(error?.code == .closed)
    }

    @Test func `a client that is forgotten closes its connection`() async throws {
        let server = try await ScriptedServer.start()
        var client: CarillonClient? = scriptedClient(of: server)
        _ = try await client?.serverInfo()
        let peer = try await server.accept()
        client = nil
        try await peer.closed()
    }
}
