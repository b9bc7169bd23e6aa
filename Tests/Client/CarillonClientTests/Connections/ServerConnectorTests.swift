import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// Attempts to connect, and the errors of those that fail.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ServerConnectorTests {
    @Test func `a server that comes up late is found`() async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let client = scriptedClient(of: server)
        try await server.stop()
        async let found = client.lookup(.id(Samples.device.id), app: app)
        let late = try await ScriptedServer.start(port: port)
        let peer = try await late.accept()
        peer.answer(try await peer.request().id, Samples.device, to: LookupRequest.self)
        #expect(try await found == Samples.device)
    }

    @Test func `a wrong key fails at once`() async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: .scripted(isAuthenticated: false)))
        let wrong = scriptedClient(of: server, key: "wrong")
        let error = await failure { () throws(CarillonError) in try await wrong.serverInfo() }
        #expect(error?.code == .server(.authenticationFailed))
        let missing = scriptedClient(of: server)
        let other = await failure { () throws(CarillonError) in try await missing.serverInfo() }
        #expect(other?.code == .server(.authenticationFailed))
        let right = scriptedClient(of: server, key: "secret")
        #expect(try await right.serverInfo().principal == "tester")
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ESMTP\r\n"])
    func `another protocol fails at once`(greeting: String) async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: nil))
        let client = scriptedClient(of: server)
        async let error = failure { () throws(CarillonError) in try await client.connect() }
        let peer = try await server.accept()
        peer.send { $0.raw(Array(greeting.utf8)) }
        #expect(await error?.code == .cannotConnect)
    }

    @Test func `an unreachable server is reported with its address`() async throws {
        let port = RefusingPort().number
        var configuration = scriptedConfiguration(port)
        configuration.maximumRounds = 2
        let client = CarillonClient(configuration: configuration)
        let error = await failure { () throws(CarillonError) in try await client.ping() }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message.hasPrefix("127.0.0.1:\(port): ") == true)
        await client.close()
    }
}
