import CarillonCore
import CarillonHTTP
import CarillonWire
import CoreMetrics
import Synchronization
import Testing

@testable import CarillonServer

/// The answers to STATISTICS of a server without apps, whose registry cannot be read.
struct StatisticsSourceTests {
    private let services = IdleServices()
    private let requests = RequestMetrics(factory: NOOPMetricsHandler.instance)
    private let limiter = ConnectionLimiter(.init(connections: 9, halfOpen: 9, halfOpenPerAddress: 9))
    /// The time at which answers are read.
    private let uptime: TestUptime
    private let source: StatisticsSource

    /// A clock that stands still until the test sets it.
    private final class TestUptime: Sendable {
        private let uptime = Mutex<Uptime>(0)

        var now: Uptime { uptime.withLock { $0 } }

        func advance(byMilliseconds milliseconds: UInt64) { uptime.withLock { $0 += milliseconds } }
    }

    init() {
        let uptime = TestUptime()
        self.uptime = uptime
        source = StatisticsSource(
            services.forStatistics, requests: requests, connections: limiter, uptime: { uptime.now })
    }

    /// Reads the statistics; nil if the server ends.
    private func read(on readers: ReaderThreads = ScriptedConnection.threads.longReads) async -> ServerStatistics? {
        await withCheckedContinuation { continuation in
            source.read(on: readers, for: "observer") { continuation.resume(returning: $0) }
        }
    }

    @Test func `requests and batches are those of the metrics`() async throws {
        requests.requestAnswered(.send, error: nil, nanoseconds: 2_000)
        services.batches.batchWritten(5, nanoseconds: 3_000)
        let statistics = try #require(await read())
        #expect(
            statistics.requests == [
                ServerStatistics.RequestCount(opcode: Opcode.send.rawValue, error: nil, count: 1, microseconds: 2)
            ])
        #expect(statistics.batches.count == 1)
        #expect(statistics.batches.changes == 5)
    }

    @Test func `clients are the connections that are admitted`() async throws {
        _ = limiter.admit(from: .ipv4(1))
        _ = limiter.admit(from: .ipv4(2))
        let statistics = try #require(await read())
        #expect(statistics.clients == 2)
        #expect(statistics.halfOpen == 2)
    }

    @Test func `a registry that has failed hides no other statistics`() async throws {
        let statistics = try #require(await read())
        #expect(statistics.database == nil)
        #expect(statistics.lanes.map(\.lane) == Lane.allCases)
    }

    @Test func `an answer is cached for a moment`() async throws {
        let first = try #require(await read())
        requests.requestAnswered(.send, error: nil, nanoseconds: 2_000)
        uptime.advance(byMilliseconds: 199)
        #expect(await read() == first)
        uptime.advance(byMilliseconds: 1)
        #expect(try #require(await read()).requests.map(\.count) == [1])
    }

    @Test func `a server that ends has no statistics`() async throws {
        let ended = ReaderThreads(threads: 1)
        try await ended.shutDown()
        #expect(await read(on: ended) == nil)
    }

    @Test func `a sample has no counts of the registry`() async throws {
        let sample = await withCheckedContinuation { continuation in
            source.sample(on: ScriptedConnection.threads.longReads, for: "observer") {
                continuation.resume(returning: $0)
            }
        }
        #expect(try #require(sample).statistics.registryCounts == nil)
        #expect(try #require(await read()).registryCounts != nil)
    }
}
