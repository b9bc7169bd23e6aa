import CarillonCore
import CarillonHTTP2
import CarillonTestKit
import CarillonTransport
import NIOCore
import Testing

/// The interactive lane of a pool: its pushes do not wait behind those of a fan-out.
@Suite(.cleansUp) struct PushPoolLaneTests {
    /// Opens two connections. Connections after the second are never shown to work.
    private func twoConnections() async throws -> (ScriptedAPNs, Sender) {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 16
        let apns = try await ScriptedAPNs(greeting) { arrival in
            arrival.number == 1 && arrival.connection < 3 ? [.answer(200)] : []
        }
        return (apns, try Sender(to: apns.port, connections: 2))
    }

    private func answerAll(of connection: Int, _ apns: ScriptedAPNs) {
        for arrival in apns.watched.now.arrivals(on: connection) {
            apns.send(connection, .answer(200, stream: arrival.stream))
        }
    }

    @Test func oneOfTwoConnectionsIsReservedForTheInteractiveLane() async throws {
        let (apns, sender) = try await twoConnections()
        sender.source.add(devices: 1...1_000, lane: .bulk)
        try await apns.watched.wait(until: "both are full of bulk, but for a stream each") { state in
            state.mostWaiting[1] == 15 && state.mostWaiting[2] == 15
        }
        // A connection that is not known to work yet reserves nothing.
        try await sender.source.watched.wait(until: "both are known to work") { $0.count(.delivered) == 2 }
        // The pool was told before: by its answer it has reserved the first.
        _ = try await sender.pool.statistics().get()
        let bulk = apns.watched.now.arrivals(on: 1).count

        answerAll(of: 1, apns)
        try await sender.source.watched.wait(until: "the first has given back what it had") {
            $0.count(.delivered) == bulk + 1
        }
        sender.source.add(devices: 2_001...2_010, lane: .interactive)
        try await apns.watched.wait(until: "ten interactive pushes arrived") { state in
            state.arrivals.filter { $0.device > 2_000 }.count == 10
        }
        #expect(apns.watched.now.arrivals(on: 1).count { $0.device <= 2_000 } == bulk, "no more bulk")
        #expect(apns.watched.now.arrivals(on: 1).count { $0.device > 2_000 } == 10, "all over the one without bulk")

        sender.source.add(devices: 3_001...3_010, lane: .interactive)
        try await apns.watched.wait(until: "what it has no streams for goes over the other") { state in
            state.arrivals.filter { $0.device > 3_000 }.count == 7
        }
        #expect(
            apns.watched.now.arrivals(on: 2).count { $0.device > 3_000 } == 1, "the stream that was reserved for them")

        apns.send(2, .close)
        answerAll(of: 1, apns)
        try await apns.watched.wait(until: "the only one carries bulk again") { state in
            state.arrivals(on: 1).count { $0.device <= 2_000 } > bulk
        }
        apns.send(1, .close)
    }

    /// Bulk alone would never get streams that were reserved while there is only one.
    @Test(arguments: [1, 15, 16, 1_000] as [UInt32]) func bulkAloneShowsThatAConnectionWorks(_ streams: UInt32)
        async throws
    {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = streams
        let apns = try await ScriptedAPNs(greeting) { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...100, lane: .bulk)
        #expect(try await sender.source.allReturned(deliveries: 100).count(.delivered) == 100)
        try await sender.closeExpectingAllReturned()
    }

    @Test func aSingleConnectionCarriesBothLanes() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port, connections: 1)
        sender.source.add(devices: 1...500, lane: .bulk)
        sender.source.add(devices: 2_001...2_010, lane: .interactive)
        #expect(try await sender.source.allReturned(deliveries: 510).count(.delivered) == 510)
        #expect(apns.watched.now.connections == [1])
        try await sender.closeExpectingAllReturned()
    }
}
