import CarillonGateway
import CarillonTestKit
import NIOCore
import NIOPosix
import Testing

@testable import CarillonHTTP

/// The connections of a port: the owners that share one, and the connections that are kept.
@Suite(.cleansUp)
struct InProcessConnectionPoolTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let server: ScriptedServer
    private let backend: FakeBackend
    private let pool: InProcessConnectionPool

    init() async throws {
        server = try await ScriptedServer.start()
        backend = FakeBackend(server)
        // The idle time is so long that no connection is closed during a test, however slow the machine is.
        pool = InProcessConnectionPool(backend, gateway: Gateway(), on: loop, idleTime: .hours(1))
        CleanUp.add { [loop, pool] in try? await loop.submit { pool.closeAll() }.get() }
    }

    /// Opens, or finds, the connection of an owner. Its key is `secret`, which the server knows.
    private func open(_ owner: String, key: String = "secret") async throws {
        try await loop.flatSubmit { [pool] in
            pool.connection(of: owner, key: Array(key.utf8), clientAddress: "http 10.0.0.7").map { _ in }
        }.get()
    }

    /// Returns the owners of these who have an open connection, and the number of all connections.
    private func present(_ owners: String...) async throws -> ([String], Int) {
        try await loop.submit { [pool] in (owners.filter(pool.isOpen), pool.count) }.get()
    }

    @Test func `requests of one owner share a connection`() async throws {
        // The second comes while the first opens it.
        async let first: Void = open("a")
        async let second: Void = open("a")
        _ = try await (first, second)
        try await open("a")
        #expect(backend.opened == 1)
        try await open("b")
        #expect(backend.opened == 2)
        #expect(try await present("a", "b", "c") == (["a", "b"], 2))
    }

    @Test func `a wrong key leaves no connection`() async throws {
        let error = await #expect(throws: GatewayError.self) { try await open("a", key: "wrong") }
        #expect(error?.code == "AUTHENTICATION_FAILED")
        #expect(try await present("a") == ([], 0))
        try await open("a")
        #expect(try await present("a") == (["a"], 1))
    }

    @Test func `a server without room is overloaded`() async throws {
        try await open("a")
        backend.fill()
        try await open("a")
        let error = await #expect(throws: GatewayError.self) { try await open("b") }
        #expect(error?.status == 503)
        #expect(try await present("a", "b") == (["a"], 1))
    }

    @Test func `a connection that has ended is replaced`() async throws {
        try await open("a")
        try await server.accept().close()
        while try await present("a") != ([], 1) { await Task.yield() }
        try await open("a")
        #expect(backend.opened == 2)
        #expect(try await present("a") == (["a"], 1))
    }

    @Test func `beyond the limit the least recently used idle connection is closed`() async throws {
        for number in 0..<InProcessConnectionPool.maximumConnections { try await open("\(number)") }
        try await open("0")
        try await open("new")
        #expect(
            try await present("0", "1", "2", "new") == (["0", "2", "new"], InProcessConnectionPool.maximumConnections))
        try await loop.submit { [pool] in pool.close("2") }.get()
        #expect(try await present("2") == ([], InProcessConnectionPool.maximumConnections - 1))
    }
}
