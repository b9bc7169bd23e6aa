import CarillonAPNs
import CarillonCore
import CarillonTransport
import NIOCore
import Testing

/// A push that ends each connection which carries it, and a connection that is served worse than the others.
@Suite struct IsolationTests {
    @Test func aPoisonousPushTakesOthersWithItThreeTimesAtMost() async throws {
        let poison: UInt64 = 150
        let apns = try await ScriptedAPNs { arrival in arrival.device == poison ? [.close] : [.answer(200)] }
        let source = RecordingSource(again: { $0 == .unknown || $0 == .notProcessed })
        let sender = try Sender(to: apns.port, source: source, connections: 2) { $0.streams = 20 }
        source.add(devices: 1...300)

        let state = try await source.watched.wait(until: "all others are delivered, and it is tried alone") { state in
            state.count(.delivered) == 299 && state.verdicts[poison, default: []].count { $0 == .unknown } >= 6
        }
        #expect(state.verdicts[poison, default: []].allSatisfy { $0 == .unknown || $0 == .notProcessed })
        let others = state.verdicts.filter { $0.key != poison }.values
        #expect(others.allSatisfy { $0.last == .delivered })
        let ends = others.map { $0.count { $0 == .unknown } }
        #expect(ends.allSatisfy { $0 <= 3 })
        #expect(ends.count { $0 == 3 } <= 7, "the company in which it travelled before it was alone")
        try await sender.finish()
    }

    /// What waits for the connection apart is given back when the pool ends.
    @Test func closingGivesBackWhoIsKeptApart() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.device == 3 ? [.close] : [.answer(200)] }
        let source = RecordingSource(again: { $0 == .unknown || $0 == .notProcessed })
        let sender = try Sender(to: apns.port, source: source)
        source.add(devices: 1...5)
        try await source.watched.wait(until: "it is alone") { $0.verdicts[3, default: []].count >= 4 }
        try await sender.finish()
    }

    /// Connection 1 refuses whatever it gets, and so has free streams all the time.
    @Test func aConnectionThatIsServedWorseGetsLess() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 && arrival.number > 1 ? [.answer(429, reason: "TooManyRequests")] : [.answer(200)]
        }
        let source = RecordingSource(again: { $0 != .delivered })
        let sender = try Sender(to: apns.port, source: source, connections: 2) { $0.streams = 5 }
        var devices = 0
        func feed(while condition: () async throws -> Bool) async throws {
            while try await condition() {
                if source.watched.now.ready.count < 500 {
                    source.add(devices: devices..<devices + 500)
                    devices += 500
                }
                // pause: the work comes in small pieces
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let began = ContinuousClock.now
        try await feed {
            let worst = try await sender.pool.snapshot().get().byLabel[.main(1)]
            return worst?.rate != 4 && began.duration(to: .now) < .seconds(120)
        }
        let connections = try await sender.pool.snapshot().get().byLabel
        #expect(connections[.main(1)]?.rate == 4)
        #expect(connections[.main(2)]?.rate == nil)

        let before = apns.watched.now.arrivals
        let start = ContinuousClock.now
        func later(on connection: Int) -> Int {
            apns.watched.now.arrivals.dropFirst(before.count).count { $0.connection == connection }
        }
        try await feed { start.duration(to: .now) < .seconds(2) || later(on: 2) <= 200 }
        let slow = later(on: 1)
        let seconds = Double(start.duration(to: .now).components.seconds + 1)
        #expect((1...Int(8 * seconds)).contains(slow), "four a second tell when it is good again")
        try await sender.pool.close().get()
    }
}
