import CarillonCore
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import NIOPosix
import Testing

/// The connection to a server, until the first request.
@Suite(.cleansUp) struct ConnectorTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `pushes wait for a server that starts later`(_ host: String) async throws {
        let first = try await ScriptedAPNs { _ in [] }
        try await first.close()
        let sender = try Sender(to: first.port, host: host)
        sender.source.add(devices: 1...1)
        // Meanwhile attempts fail. After them the pool opens a connection only if it has counted them right.
        for _ in 0..<3 { _ = try await sender.pool.statistics().get() }

        let apns = try await ScriptedAPNs(port: first.port) { _ in [.answer(200)] }
        #expect(try await sender.source.allReturned(deliveries: 1).all == [.delivered])
        #expect(try await sender.pool.statistics().get().connections == 1)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var cause: ConnectionFailureCause
        var greeting: ScriptedAPNs.Greeting

        init(
            _ name: String, cause: ConnectionFailureCause = .http2, _ change: (inout ScriptedAPNs.Greeting) -> Void
        ) {
            testDescription = name
            self.cause = cause
            greeting = ScriptedAPNs.Greeting()
            change(&greeting)
        }
    }

    @Test(arguments: [
        Fault("unknown authority", cause: .certificateIssuer) { $0.certificate = .foreign },
        Fault("wrong host name", cause: .certificateName) { $0.certificate = .otherHost },
        Fault("expired certificate", cause: .certificateExpired) { $0.certificate = .expired },
        Fault("no application protocol") { $0.protocols = [] },
        Fault("HTTP/1.1 instead") { $0.garbage = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) },
        Fault("garbage") { $0.garbage = Array(repeating: 0xA5, count: 4_096) },
        Fault("first frame is not SETTINGS") { $0.garbage = Frames.frame(.data, stream: 1, [0]) },
        Fault("a frame that is too long") { $0.garbage = [0xFF, 0xFF, 0xFF, 4, 0, 0, 0, 0, 0] },
        Fault("SETTINGS never come", cause: .timeout) { $0.garbage = [] },
        Fault("33 settings in one frame") {
            $0.garbage = Frames.frame(
                .settings, stream: 0, (0..<33).flatMap { _ in [0, 3, 0, 0, 0, 100] as [UInt8] })
        },
    ])
    func `attempts after failed handshakes have growing delays`(_ fault: Fault) async throws {
        let apns = try await ScriptedAPNs(fault.greeting) { _ in [.answer(200)] }
        // A busy machine must not look like a peer that is silent.
        let sender = try Sender(to: apns.port) { if fault.cause == .timeout { $0.settingsTimeoutMilliseconds = 50 } }
        sender.source.add(devices: 1...1)

        let state = try await apns.watched.wait(until: "it has been tried four times") { $0.connectionTimes.count == 4 }
        #expect(state.arrivals.isEmpty)
        #expect(sender.source.watched.now.pullCounts.isEmpty)
        let outage = try #require(sender.pool.metrics.outage)
        #expect(outage.outage.cause == fault.cause, "\(outage.reason)")
        #expect(!outage.reason.isEmpty)
        // Half of the wait is fixed, and it doubles: 40, 80 and 160 ms, less the clock's rounding.
        for (gap, least) in zip(zip(state.connectionTimes, state.connectionTimes.dropFirst()), [19, 39, 79]) {
            #expect(gap.1 - gap.0 >= .milliseconds(Int64(least)))
        }
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a new server on the same port gets the pushes of the old one`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.certificate = .expired
        let bad = try await ScriptedAPNs(greeting) { _ in [.answer(200)] }
        let sender = try Sender(to: bad.port)
        sender.source.add(devices: 1...5)
        try await bad.watched.wait(until: "it has been tried") { $0.connectionTimes.count == 2 }
        try await bad.close()
        #expect(sender.pool.metrics.outage != nil)

        let good = try await ScriptedAPNs(port: bad.port) { _ in [.answer(200)] }
        #expect(try await sender.source.allReturned(deliveries: 5).count(.delivered) == 5)
        #expect(sender.pool.metrics.outage == nil)
        #expect(good.watched.now.arrivals.count == 5)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `pushes that come during a connection attempt open no second connection`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port, connections: 8)
        for device in 1...5 { sender.source.add(devices: device...device) }
        #expect(try await sender.source.allReturned(deliveries: 5).count(.delivered) == 5)
        // That no second attempt follows is tested in ConnectionGroupMachineTests, without a clock.
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `closing ends an attempt`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.garbage = []
        let apns = try await ScriptedAPNs(greeting) { _ in [] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)
        try await apns.watched.wait(until: "TLS is done") { $0.secured == 1 }
        try await sender.closeExpectingAllReturned()
        try await apns.watched.wait(until: "the connection is gone") { $0.gone == 1 }
        #expect(sender.source.watched.now.ready.count == 1)
    }

    /// The pool is closed before the attempt that it has begun is decided.
    @Test func `closing awaits an attempt`() async throws {
        // A listener that never accepts: TCP connects, and TLS waits.
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let sender = try Sender(to: try #require(listener.localAddress?.port))
        sender.source.add(devices: 1...1)
        try await sender.closeExpectingAllReturned()
        #expect(sender.source.watched.now.ready.count == 1)
        #expect(sender.source.watched.now.openedCount == 0)
        try await listener.close()
    }

    @Test func `an outage is reported after a delay, and its end when settings arrive`() async throws {
        let gone = try await ScriptedAPNs { _ in [] }
        let port = gone.port
        try await gone.close()
        var upkeep = ConnectionUpkeep.Limits()
        upkeep.intervalMilliseconds = 10
        upkeep.outageMilliseconds = 50
        let sender = try Sender(to: port, upkeep: upkeep)
        sender.source.add(devices: 1...1)
        try await sender.source.watched.wait(until: "it is unreachable") { $0.reachabilityReports == [false] }
        // APNs is there again, but answers nothing yet.
        let apns = try await ScriptedAPNs(port: port) { _ in [] }
        try await sender.source.watched.wait(until: "it is reachable") { $0.reachabilityReports == [false, true] }
        try await apns.watched.wait(until: "the push came") { $0.arrivals.count == 1 }
        apns.send(1, .answer(200, stream: 1))
        try await sender.source.allReturned(deliveries: 1)
        try await sender.closeExpectingAllReturned()
    }
}
