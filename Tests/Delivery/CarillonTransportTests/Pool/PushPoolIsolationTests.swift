import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import Testing

/// A push that ends every connection that carries it, and a connection that is served worse than the others.
@Suite(.cleansUp) struct PushPoolIsolationTests {
    @Test func `a harmful push affects others three times at most`() async throws {
        let harmful: UInt64 = 150
        let apns = try await ScriptedAPNs { arrival in arrival.device == harmful ? [.close] : [.answer(200)] }
        let source = RecordingSource(retries: { $0 == .unknown || $0 == .notProcessed })
        let sender = try Sender(to: apns.port, source: source, connections: 2) { $0.streams = 20 }
        source.add(devices: 1...300)

        let state = try await source.watched.wait(until: "all others are delivered, and it is tried alone") { state in
            state.count(.delivered) == 299 && state.verdicts[harmful, default: []].count { $0 == .unknown } >= 6
        }
        #expect(state.verdicts[harmful, default: []].allSatisfy { $0 == .unknown || $0 == .notProcessed })
        let others = state.verdicts.filter { $0.key != harmful }.values
        #expect(others.allSatisfy { $0.last == .delivered })
        let ends = others.map { $0.count { $0 == .unknown } }
        #expect(ends.allSatisfy { $0 <= 3 })
        #expect(ends.count { $0 == 3 } <= 7, "the pushes that were sent with it before it was sent alone")
        try await sender.closeExpectingAllReturned()
    }

    /// Pushes that wait for the isolated connection are given back when the pool is closed.
    @Test func `closing gives back isolated pushes`() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.device == 3 ? [.close] : [.answer(200)] }
        let source = RecordingSource(retries: { $0 == .unknown || $0 == .notProcessed })
        let sender = try Sender(to: apns.port, source: source)
        source.add(devices: 1...5)
        try await source.watched.wait(until: "it is alone") { $0.verdicts[3, default: []].count >= 4 }
        try await sender.closeExpectingAllReturned()
    }

    /// Connection 1 refuses whatever it gets, and so has free streams all the time.
    @Test(.timeLimit(.minutes(10))) func `a connection that is served worse gets less`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 && arrival.number > 1 ? [.answer(429, reason: "TooManyRequests")] : [.answer(200)]
        }
        let source = RecordingSource(retries: { $0 != .delivered })
        var upkeep = ConnectionUpkeep.Limits()
        upkeep.intervalMilliseconds = 250
        let sender = try Sender(to: apns.port, source: source, connections: 2, upkeep: upkeep) { $0.streams = 5 }
        var devices = 0
        func feed(while condition: () async throws -> Bool) async throws {
            while try await condition() {
                if source.watched.now.ready.count < 500 {
                    source.add(devices: devices..<devices + 500)
                    devices += 500
                }
                try await source.watched.wait(until: "more is needed") { $0.ready.count < 500 }
            }
        }
        func isLimited() async throws -> Bool {
            let connections = try await sender.pool.statistics().get().byLabel
            return connections[.main(1)]?.maximumPushesPerSecond == 4
                && connections[.main(2)]?.maximumPushesPerSecond == nil
        }
        func count(_ connection: Int, from first: Int) -> Int {
            apns.watched.now.arrivals.dropFirst(first).count { $0.connection == connection }
        }
        // On a machine that stands still for an interval, the good connection has no answers to compare with, and the
        // limit is lifted. Then the measurement is made again.
        var worse = 0
        var intervals = 0
        repeat {
            // The rate falls by three quarters in each interval.
            try await feed { try await !isLimited() }
            let before = apns.watched.now.arrivals.count
            let began = NIODeadline.now()
            // Four in an interval show when it is good again.
            try await feed { count(1, from: before) < 4 || count(2, from: before) < 200 }
            worse = count(1, from: before)
            // Two intervals are there in part, and the pushes of one were on their way at the beginning.
            intervals = Int((NIODeadline.now() - began).nanoseconds / 250_000_000) + 3
        } while try await !isLimited()
        #expect(worse <= 4 * intervals, "\(worse) in \(intervals) intervals")
        try await sender.pool.close().get()
    }
}
