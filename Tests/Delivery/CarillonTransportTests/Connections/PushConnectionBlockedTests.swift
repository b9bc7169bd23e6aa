import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import Testing

/// Connections that stay open, answer PINGs and take no pushes.
@Suite(.cleansUp) struct PushConnectionBlockedTests {
    @Test func `connections without streams do not keep the pool from opening another`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.firstMaxStreams = [0, 0, 0, 0]
        let apns = try await ScriptedAPNs(greeting) { _ in [.answer(200)] }
        let log = RecordingLog()
        // Five at most: the four that are blocked stay, and no sixth can race the fifth, however busy the machine is.
        let sender = try Sender(to: apns.port, connections: 5, secondAttemptMilliseconds: 100, log: log) { limits in
            limits.blockedMilliseconds = 300
        }
        sender.source.add(devices: 1...10)

        let state = try await sender.source.allReturned(deliveries: 10)
        #expect(state.count(.delivered) == 10)
        #expect(apns.watched.now.arrivals.map(\.connection) == Array(repeating: 5, count: 10))
        #expect(apns.watched.now.connectionTimes.count == 5)
        #expect(log.lines.contains { $0.hasPrefix("warning APNs takes no pushes on a connection") })
        try await sender.closeExpectingAllReturned()
    }

    @Test(arguments: [1, 2]) func `a connection that takes no more pushes is replaced`(_ connections: Int) async throws
    {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let log = RecordingLog()
        let sender = try Sender(to: apns.port, connections: connections, log: log) { limits in
            limits.blockedMilliseconds = 300
            limits.answerTimeoutMilliseconds = connections == 1 ? 1_000 : 60_000
        }
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        apns.send(1, .maxStreams(0))
        try await apns.watched.wait(until: "it is known") { $0.acknowledged == 2 }
        sender.source.add(devices: 2...2)

        #expect(try await sender.source.allReturned(deliveries: 2).count(.delivered) == 2)
        #expect(apns.watched.now.arrivals.map(\.connection) == [1, 2])
        // A pool that may have one connection only must end it first.
        #expect(
            log.lines.contains { $0.hasPrefix("warning connection is replaced: APNs takes no pushes on it") }
                == (connections == 1))
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a blocked connection stays open without work`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port) { limits in
            // A push may take some seconds on a busy machine. Three PINGs take longer than all deadlines.
            limits.blockedMilliseconds = 1
            limits.answerTimeoutMilliseconds = 10_000
            limits.idleMilliseconds = 1
            limits.pingTimeoutMilliseconds = 5_000
        }
        sender.source.add(devices: 1...1)
        #expect(try await sender.source.allReturned(deliveries: 1).count(.delivered) == 1)
        apns.send(1, .maxStreams(0))
        // Deadlines have been checked several times by then.
        try await apns.watched.wait(until: "three PINGs came") { $0.pings == 3 }
        apns.send(1, .maxStreams(10))
        sender.source.add(devices: 2...2)
        try await sender.source.allReturned(deliveries: 2)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    // MARK: Connections without work

    @Test func `a pool without work has no connection`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port, connections: 4)
        for _ in 0..<3 {
            sender.pool.wake()
            #expect(try await sender.pool.statistics().get().connections == 0)
        }
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    /// A second connection races one that has not shown that it works, if work waits. A push in flight does not wait.
    @Test func `a push in flight begins no race`() async throws {
        let apns = try await ScriptedAPNs { _ in [] }
        // The first question opens the connection. A machine may be so slow that the race's time comes before the push
        // was pulled, so all later questions are answered as if it had been.
        let source = RecordingSource(announcesOnce: true)
        let sender = try Sender(to: apns.port, source: source, connections: 4, secondAttemptMilliseconds: 2)
        source.add(devices: 1...1)
        try await apns.watched.wait(until: "the push came") { $0.arrivals.count == 1 }
        sender.pool.wake()
        #expect(try await sender.pool.statistics().get().connections == 1)
        apns.send(1, .answer(200, stream: 1))
        try await source.allReturned(deliveries: 1)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a connection without settings is opening`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.garbage = []
        let apns = try await ScriptedAPNs(greeting) { _ in [] }
        let sender = try Sender(to: apns.port, secondAttemptMilliseconds: 60_000)
        sender.source.add(devices: 1...1)
        try await apns.watched.wait(until: "TLS is done") { $0.secured == 1 }
        let statistics = try await sender.pool.statistics().get()
        #expect(statistics.connections == 1)
        #expect(statistics.opening == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a connection whose first push has no answer is not opening`() async throws {
        let apns = try await ScriptedAPNs { _ in [] }
        let sender = try Sender(to: apns.port, secondAttemptMilliseconds: 60_000)
        sender.source.add(devices: 1...1)
        try await apns.watched.wait(until: "the push came") { $0.arrivals.count == 1 }
        let statistics = try await sender.pool.statistics().get()
        #expect(statistics.connections == 1)
        #expect(statistics.opening == 0)
        apns.send(1, .answer(200, stream: 1))
        try await sender.source.allReturned(deliveries: 1)
        try await sender.closeExpectingAllReturned()
    }

    // MARK: Connections that end soon

    @Test func `connections that end early are opened more and more slowly`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200), .close] }
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { $0 != .delivered }))
        sender.source.add(devices: 1...50)
        let state = try await apns.watched.wait(until: "four were made") { $0.connectionTimes.count == 4 }
        // Half of the delay is fixed, and it doubles: 40, 80 and 160 ms, less the clock's rounding.
        for (gap, least) in zip(zip(state.connectionTimes, state.connectionTimes.dropFirst()), [19, 39, 79]) {
            #expect(gap.1 - gap.0 >= .milliseconds(Int64(least)))
        }
        try await sender.pool.close().get()
    }
}
