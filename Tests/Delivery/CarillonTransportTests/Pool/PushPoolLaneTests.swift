import CarillonCore
import CarillonHTTP2
import CarillonTestKit
import CarillonTransport
import NIOCore
import NIOPosix
import Testing

/// The interactive lane of a pool: its pushes do not wait behind those of a fan-out.
@Suite(.cleansUp) struct PushPoolLaneTests {
    /// The bulk pushes of a connection before one is reserved: the one that shows that it works, and 15 of 16 streams.
    private static let bulkOfEach = 16

    /// Opens two connections that are full of bulk. Once the pool has reserved the first for the interactive lane, the
    /// pushes on it are answered. Connections after the second are never shown to work.
    private func firstOfTwoReserved() async throws -> (ScriptedAPNs, Sender) {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 16
        let apns = try await ScriptedAPNs(greeting) { arrival in
            arrival.number == 1 && arrival.connection < 3 ? [.answer(200)] : []
        }
        // On one event loop a connection knows at once what the pool has decided. On another one, the answers below
        // could come before it knows, and it would take more bulk.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let sender = try Sender(to: apns.port, connections: 2, loops: PushPool.Loops(bulk: loop))
        sender.source.add(devices: 1...1_000, lane: .bulk)
        try await apns.watched.wait(until: "both are full of bulk, but for a stream each") { state in
            state.mostWaiting[1] == 15 && state.mostWaiting[2] == 15
        }
        // A connection that is not known to work yet reserves nothing.
        try await sender.source.watched.wait(until: "both are known to work") { $0.count(.delivered) == 2 }
        // The pool was told that both work before it answers this call, so it has reserved the first by then.
        _ = try await sender.pool.statistics().get()
        for arrival in apns.watched.now.arrivals(on: 1) { apns.send(1, .answer(200, stream: arrival.stream)) }
        try await sender.source.watched.wait(until: "the first has given back what it had") {
            $0.count(.delivered) == Self.bulkOfEach + 1
        }
        return (apns, sender)
    }

    @Test func `one of two connections is reserved for the interactive lane`() async throws {
        let (apns, sender) = try await firstOfTwoReserved()
        sender.source.add(devices: 2_001...2_010, lane: .interactive)
        let state = try await apns.watched.wait(until: "ten interactive pushes arrived") { state in
            state.count(.interactive, on: 1...2) == 10
        }
        #expect(state.count(.bulk, on: 1...1) == Self.bulkOfEach, "no more bulk")
        #expect(state.count(.interactive, on: 1...1) == 10, "all over the one without bulk")
    }

    @Test func `pushes for which the reserved connection has no streams go over the other`() async throws {
        let (apns, sender) = try await firstOfTwoReserved()
        sender.source.add(devices: 2_001...2_020, lane: .interactive)
        let state = try await apns.watched.wait(until: "no stream is free for them") { state in
            state.count(.interactive, on: 1...2) == 17
        }
        #expect(state.count(.interactive, on: 1...1) == 16)
        #expect(state.count(.interactive, on: 2...2) == 1, "the stream that was reserved for them")
    }

    @Test func `the only connection that is left carries bulk again`() async throws {
        let (apns, _) = try await firstOfTwoReserved()
        apns.send(2, .close)
        try await apns.watched.wait(until: "the first carries bulk") { $0.count(.bulk, on: 1...1) > Self.bulkOfEach }
    }

    /// Bulk alone would never get streams that were reserved while there is only one.
    @Test(arguments: [1, 15, 16, 1_000] as [UInt32])
    func `bulk pushes alone show that a connection works`(_ streams: UInt32) async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = streams
        let apns = try await ScriptedAPNs(greeting) { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...100, lane: .bulk)
        #expect(try await sender.source.allReturned(deliveries: 100).count(.delivered) == 100)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a single connection carries both lanes`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port, connections: 1)
        sender.source.add(devices: 1...500, lane: .bulk)
        sender.source.add(devices: 2_001...2_010, lane: .interactive)
        #expect(try await sender.source.allReturned(deliveries: 510).count(.delivered) == 510)
        #expect(apns.watched.now.connections == [1])
        try await sender.closeExpectingAllReturned()
    }
}

extension ScriptedAPNs.State {
    /// Returns the number of pushes of a lane that arrived on some connections. Devices after 2,000 are interactive.
    fileprivate func count(_ lane: Lane, on connections: ClosedRange<Int>) -> Int {
        arrivals.count { connections.contains($0.connection) && ($0.device > 2_000) == (lane == .interactive) }
    }
}
