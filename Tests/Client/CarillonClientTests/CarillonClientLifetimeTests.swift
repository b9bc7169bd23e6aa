import CarillonClient
import CarillonTestKit
import NIOCore
import NIOPosix
import Testing

/// A client from its making to its end.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientLifetimeTests {
    @Test func `a client of a block is closed at its end`() async throws {
        let server = try await ScriptedServer.start()
        let client = try await withCarillonClient(configuration: scriptedConfiguration(server.port)) { client in
            _ = try await client.serverInfo()
            return client
        }
        try await server.accept().closed()
        #expect(await refusal(of: client) == .closed)
    }

    @Test func `a client of a block is closed after an error`() async throws {
        struct Fault: Error {}
        let server = try await ScriptedServer.start()
        await #expect(throws: Fault.self) {
            try await withCarillonClient(configuration: scriptedConfiguration(server.port)) { client in
                _ = try await client.serverInfo()
                throw Fault()
            }
        }
        try await server.accept().closed()
    }

    @Test func `run ends with its task and closes the client`() async throws {
        let server = try await ScriptedServer.start()
        let client = CarillonClient(configuration: scriptedConfiguration(server.port))
        let running = Task { try await client.run() }
        _ = try await client.serverInfo()
        running.cancel()
        try await running.value
        try await server.accept().closed()
        #expect(await refusal(of: client) == .closed)
    }

    @Test func `a group is free after its client has closed`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try await ScriptedServer.start()
        try await withCarillonClient(configuration: scriptedConfiguration(server.port), eventLoopGroup: group) {
            client in
            _ = try await client.serverInfo()
        }
        // It would fail if the client still had a channel on it.
        try await group.shutdownGracefully()
    }
}
