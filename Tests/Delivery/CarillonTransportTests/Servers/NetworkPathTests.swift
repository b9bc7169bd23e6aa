import CarillonTestKit
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CarillonTransport

/// The addresses that a connection may go to (`NetworkPath.permitsAddress`).
@Suite(.cleansUp) struct NetworkPathTests {
    private func makeConnector(to port: Int, _ permits: @escaping @Sendable ([UInt8]) -> Bool) -> Connector {
        Connector(
            host: "127.0.0.1", port: port, networkPath: NetworkPath(permitsAddress: permits), timeoutMilliseconds: 5_000
        )
    }

    @Test func `an address that is not permitted is not connected to`() async throws {
        let server = try await ScriptedAPNs { _ in [] }
        let asked = Mutex<[[UInt8]]>([])
        let connector = makeConnector(to: server.port) { address in
            asked.withLock { $0.append(address) }
            return false
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        await #expect(throws: ConnectError.self) { try await connector.connect(on: loop).get() }
        #expect(asked.withLock { $0 } == [[127, 0, 0, 1]])
        try await server.close()
    }

    @Test func `an address that is permitted is connected to`() async throws {
        let server = try await ScriptedAPNs { _ in [] }
        let connector = makeConnector(to: server.port) { $0 == [127, 0, 0, 1] }
        let channel = try await connector.connect(on: MultiThreadedEventLoopGroup.singleton.any()).get()
        try await channel.close().get()
        try await server.close()
    }
}
