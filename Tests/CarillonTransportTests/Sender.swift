import CarillonAPNs
import CarillonCore
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Testing

/// A pool with its work, against a scripted APNs.
struct Sender {
    let source: RecordingSource
    let pool: APNsPool

    init(
        to port: Int,
        host: String = "127.0.0.1",
        source: RecordingSource = RecordingSource(),
        connections: Int = 1,
        usesToken: Bool = true,
        raceDelay: UInt64 = 2_000,
        _ adjust: (inout ConnectionMachine.Limits) -> Void = { _ in }
    ) throws {
        let authority = try TestAuthority.shared.get()
        let upstream = Upstream(
            key: PoolKey(environment: .production, credential: "main"),
            host: host,
            port: port,
            serverName: "localhost",
            tls: authority.clientContext,
            authorization: usesToken ? .token(authority.tokens()) : .certificate,
            epoch: .zero
        )
        var limits = PoolMachine.Limits()
        limits.connections = connections
        limits.spacing = 1
        limits.backoff = 40
        limits.longestBackoff = 400
        limits.raceDelay = raceDelay
        var connectionLimits = ConnectionMachine.Limits()
        adjust(&connectionLimits)
        pool = APNsPool(
            upstream,
            group: MultiThreadedEventLoopGroup.singleton,
            source: source,
            limits: limits,
            connectionLimits: connectionLimits,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        self.source = source
        let pool = pool
        source.whenWorkComes { pool.wake() }
    }

    /// Closes the pool, and checks that each delivery was given back as often as it was taken.
    func finish() async throws {
        try await pool.close().get()
        let state = source.watched.now
        #expect(state.taken == state.returned)
        // Told in the turn in which the last of them went.
        #expect(state.ups == state.downs)
        #expect(try await pool.snapshot().get().connections == 0)
    }
}
