import CarillonProvider
import CarillonTestKit
import CarillonTransport
import Logging
import NIOCore
import NIOPosix
import Testing

/// A pool with its work, against a scripted APNs.
struct Sender {
    let source: RecordingSource
    let pool: PushPool

    init(
        to port: Int,
        host: String = "127.0.0.1",
        source: RecordingSource = RecordingSource(),
        connections: Int = 1,
        usesToken: Bool = true,
        adapter: (any ProviderAdapter)? = nil,
        secondAttemptMilliseconds: UInt64 = 3_600_000,
        upkeep: ConnectionUpkeep.Limits = ConnectionUpkeep.Limits(),
        log: RecordingLog? = nil,
        logLevel: Logger.Level = .info,
        loops: PushPool.Loops = PushPool.Loops(bulk: MultiThreadedEventLoopGroup.singleton),
        _ adjust: (inout ConnectionMachine.Limits) -> Void = { _ in }
    ) throws {
        let certificates = try TestCertificates.shared.get()
        var target = certificates.target(host: host, port: port, usesToken: usesToken)
        if let adapter { target.adapter = adapter }
        var limits = PushPool.CombinedLimits()
        limits.pool.connections = connections
        limits.pool.minimumSpacingMilliseconds = 1
        limits.pool.firstDelayMilliseconds = 40
        limits.pool.longestDelayMilliseconds = 400
        limits.pool.secondAttemptMilliseconds = secondAttemptMilliseconds
        limits.upkeep = upkeep
        // Only a test that is about such a limit may run into it, however busy the machine is.
        for limit in [
            \ConnectionMachine.Limits.connectTimeoutMilliseconds, \.handshakeTimeoutMilliseconds,
            \.settingsTimeoutMilliseconds,
            \.answerTimeoutMilliseconds, \.pingTimeoutMilliseconds, \.silenceMilliseconds, \.blockedMilliseconds,
            \.proofTimeoutMilliseconds, \.drainTimeoutMilliseconds,
        ] {
            limits.connection[keyPath: limit] = 3_600_000
        }
        adjust(&limits.connection)
        pool = PushPool(
            target,
            loops: loops,
            source: source,
            limits: limits,
            logger: log?.logger(level: logLevel) ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        self.source = source
        let pool = pool
        source.whenWorkComes { pool.wake() }
        // Not awaited: the pool waits for the pushes in flight, and only the end of the server, which follows, ends
        // those that the test has left without an answer.
        CleanUp.add { _ = pool.close() }
    }

    /// Returns the statistics of the pool as soon as `condition` holds. Nothing reports their changes, so the pool is
    /// asked every ten milliseconds.
    @discardableResult
    func statistics(when condition: (PushPool.Statistics) -> Bool) async throws -> PushPool.Statistics {
        while true {
            let statistics = try await pool.statistics().get()
            if condition(statistics) { return statistics }
            try await Task.sleep(for: .milliseconds(10))  // pause: until the pool is asked again
        }
    }

    /// Closes the pool, as the end of the test does otherwise, and checks that each delivery was given back as often as
    /// it was pulled.
    func closeExpectingAllReturned() async throws {
        try await pool.close().get()
        let state = source.watched.now
        #expect(state.pullCounts == state.returnCounts)
        // Reported in the cycle in which the last of them closed.
        #expect(state.openedCount == state.closedCount)
        #expect(try await pool.statistics().get().connections == 0)
    }
}
