import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// The number of connections of a pool that has more work than its connections have streams for.
@Suite(.cleansUp) struct PushPoolGrowthTests {
    /// A fan-out that does not end, over connections with few streams.
    private func endlessFanOut(
        _ bulkProcessorTimes: @escaping @Sendable () -> [ConnectionGrowthRule.ProcessorTime]
    ) async throws -> (ScriptedAPNs, Sender) {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 4
        let apns = try await ScriptedAPNs(greeting) { _ in [.answer(200)] }
        let loops = PushPool.Loops(bulk: MultiThreadedEventLoopGroup.singleton, bulkProcessorTimes: bulkProcessorTimes)
        let sender = try Sender(
            to: apns.port, source: RecordingSource(retries: { _ in true }), connections: 4, loops: loops)
        sender.source.add(devices: 1...100, lane: .bulk)
        return (apns, sender)
    }

    @Test func `a pool with idle event loops opens all connections`() async throws {
        let (apns, sender) = try await endlessFanOut { [ConnectionGrowthRule.ProcessorTime(running: 0, waiting: 0)] }
        try await apns.watched.wait(until: "all four are open") { $0.connectionTimes.count == 4 }
        try await sender.pool.close().get()
    }

    /// The provider answers one push of each connection and no other: each reports once that its streams are in use.
    @Test func `a pool whose answers come seldom opens all connections`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 4
        let apns = try await ScriptedAPNs(greeting) { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let loops = PushPool.Loops(bulk: MultiThreadedEventLoopGroup.singleton) {
            [ConnectionGrowthRule.ProcessorTime(running: 0, waiting: 0)]
        }
        let sender = try Sender(to: apns.port, connections: 4, loops: loops)
        sender.source.add(devices: 1...1_000, lane: .bulk)
        try await apns.watched.wait(until: "all four are open, without one more answer") {
            $0.connectionTimes.count == 4
        }
    }

    @Test func `a pool with busy event loops opens three connections`() async throws {
        let asked = Mutex(UInt64(0))
        let (apns, sender) = try await endlessFanOut {
            // Each call says that the loop has run for an hour more: it is always busy.
            asked.withLock {
                $0 += 1
                return [ConnectionGrowthRule.ProcessorTime(running: $0 * 3_600_000_000_000, waiting: 0)]
            }
        }
        // By then the pool has wanted a fourth connection, and has looked at ten intervals.
        try await sender.source.watched.wait(until: "ten intervals have passed") { _ in asked.withLock { $0 } > 10 }
        #expect(apns.watched.now.connectionTimes.count == 3)
        try await sender.pool.close().get()
    }

    @Test func `work is spread when a connection is full`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 10
        let apns = try await ScriptedAPNs(greeting) { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let sender = try Sender(to: apns.port, connections: 4) { $0.drainTimeoutMilliseconds = 1 }
        sender.source.add(devices: 1...1_000)

        try await apns.watched.wait(until: "four connections are full") { state in
            state.mostWaiting.count == 4 && state.mostWaiting.values.allSatisfy { $0 == 10 }
        }
        #expect(apns.watched.now.connectionTimes.count == 4)
        for connection in 1...4 { apns.send(connection, .close) }
        try await apns.watched.wait(until: "they are replaced") { $0.connectionTimes.count >= 8 }
        try await sender.closeExpectingAllReturned()
    }
}
