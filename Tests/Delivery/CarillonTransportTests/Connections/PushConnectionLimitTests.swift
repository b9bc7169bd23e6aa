import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import Testing

/// The number of requests in flight at a time.
@Suite(.cleansUp) struct PushConnectionLimitTests {
    @Test func `there is one stream until the first answer`() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.number == 1 ? [] : [.answer(200)] }
        let sender = try Sender(to: apns.port, connections: 4)
        sender.source.add(devices: 1...40)

        try await apns.watched.wait(until: "the first request is there") { $0.arrivals.count == 1 }
        sender.pool.wake()
        // What the connection has to say to a change of settings comes after anything it would send by then.
        apns.send(1, .maxStreams(900))
        try await apns.watched.wait(until: "both settings are acknowledged") { $0.acknowledged == 2 }
        #expect(apns.watched.now.arrivals.count == 1)
        #expect(apns.watched.now.connectionTimes.count == 1)

        apns.send(1, .answer(200, stream: 1))
        #expect(try await sender.source.allReturned(deliveries: 40).count(.delivered) == 40)
        // The 39 requests fit into one record of TLS, so all have come before one is answered.
        #expect(apns.watched.now.mostWaiting[1] == 39)
        try await sender.closeExpectingAllReturned()
    }

    /// APNs never answers some pushes.
    @Test(arguments: [1, 4]) func `a push that is never answered does not hold up the others`(_ connections: Int)
        async throws
    {
        let apns = try await ScriptedAPNs { arrival in arrival.device == 1 ? [] : [.answer(200)] }
        let sender = try Sender(to: apns.port, connections: connections, secondAttemptMilliseconds: 300)
        sender.source.add(devices: 1...50)

        let state = try await apns.watched.wait(until: "the others are answered") { $0.arrivals.count == 50 }
        // The first connection, but on a busy machine the second may be open before it.
        let silent = try #require(state.arrivals.first { $0.device == 1 }).connection
        #expect(state.arrivals(on: silent).map(\.device) == [1], "one stream until the first answer")
        #expect((2...max(2, connections)).contains(state.connectionTimes.count))
        try await sender.source.watched.wait(until: "they are delivered") { $0.count(.delivered) == 49 }
        apns.send(silent, .answer(200, stream: 1))
        #expect(try await sender.source.allReturned(deliveries: 50).count(.delivered) == 50)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a refusal of the push ends the probe too`() async throws {
        let apns = try await ScriptedAPNs { arrival in
            arrival.number == 1 ? [.answer(400, reason: "BadDeviceToken")] : [.answer(200)]
        }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...20)

        #expect(try await sender.source.allReturned(deliveries: 20).count(.delivered) == 19)
        #expect(sender.source.watched.now.largestPull == 19)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a connection with a certificate sends all pushes at once`() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.number < 20 ? [] : [.close] }
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { _ in false }), usesToken: false)
        sender.source.add(devices: 1...20)

        let state = try await sender.source.allReturned(deliveries: 20)
        #expect(state.count(.unknown) == 20)
        #expect(apns.watched.now.arrivals.allSatisfy { $0.headers["authorization"] == nil })
        try await sender.closeExpectingAllReturned()
    }

    // MARK: Limits that change

    /// A connection that has shown that it works, to a server that answers nothing more by itself.
    private func senderWithoutAnswers() async throws -> (ScriptedAPNs, Sender) {
        let apns = try await ScriptedAPNs { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        return (apns, sender)
    }

    @Test func `a lowered limit of streams is obeyed`() async throws {
        let (apns, sender) = try await senderWithoutAnswers()
        apns.send(1, .maxStreams(1))
        try await apns.watched.wait(until: "1 stream is acknowledged") { $0.acknowledged == 2 }
        sender.source.add(devices: 2...3)
        try await apns.watched.wait(until: "one request came") { $0.arrivals.count == 2 }
        apns.answer(pushes: [2], on: 1)
        try await apns.watched.wait(until: "another came") { $0.arrivals.count == 3 }
        #expect(apns.watched.now.mostWaiting[1] == 1)
        apns.answer(pushes: [3], on: 1)
        #expect(try await sender.source.allReturned(deliveries: 3).count(.delivered) == 3)
        try await sender.closeExpectingAllReturned()
    }

    /// A stream that ends, and a call to wake up, do not make it send.
    @Test func `a connection without streams sends nothing until it has some`() async throws {
        let (apns, sender) = try await senderWithoutAnswers()
        sender.source.add(devices: 2...2)
        try await apns.watched.wait(until: "the request came") { $0.arrivals.count == 2 }
        apns.send(1, .maxStreams(0))
        try await apns.watched.wait(until: "0 streams are acknowledged") { $0.acknowledged == 2 }
        sender.source.add(devices: 3...4)
        apns.answer(pushes: [2], on: 1)
        try await sender.source.watched.wait(until: "two are delivered") { $0.count(.delivered) == 2 }
        sender.pool.wake()
        // What the connection has to say to a change of settings comes after anything it would send by then.
        apns.send(1, .maxStreams(0))
        try await apns.watched.wait(until: "that is acknowledged") { $0.acknowledged == 3 }
        #expect(apns.watched.now.arrivals.count == 2)

        apns.send(1, .maxStreams(500))
        try await apns.watched.wait(until: "the others came") { $0.arrivals.count == 4 }
        apns.answer(pushes: 3...4, on: 1)
        #expect(try await sender.source.allReturned(deliveries: 4).count(.delivered) == 4)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a raised limit of streams is used`() async throws {
        let (apns, sender) = try await senderWithoutAnswers()
        apns.send(1, .maxStreams(0))
        try await apns.watched.wait(until: "0 streams are acknowledged") { $0.acknowledged == 2 }
        sender.source.add(devices: 2...601)
        apns.send(1, .maxStreams(500))
        try await apns.watched.wait(until: "500 requests came") { $0.arrivals.count == 501 }
        apns.answer(pushes: 2...501, on: 1)
        try await apns.watched.wait(until: "the rest came") { $0.arrivals.count == 601 }
        apns.answer(pushes: 502...601, on: 1)
        #expect(try await sender.source.allReturned(deliveries: 601).count(.delivered) == 601)
        #expect(apns.watched.now.mostWaiting[1] == 500)
        try await sender.closeExpectingAllReturned()
    }
}
