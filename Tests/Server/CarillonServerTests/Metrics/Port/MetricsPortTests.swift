import CarillonTestKit
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CarillonServer

/// The bounds of what a peer can take of the metrics port. The connections have no sockets, and the test is their
/// clock.
@Suite(.cleansUp) struct MetricsPortTests {
    private static let healthRequest = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
    private static let metricsRequest = "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n"

    // MARK: One connection

    @Test func `a connection gets one answer`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        try peer.send(Self.healthRequest + Self.healthRequest)
        #expect(try peer.answer() == ["200 OK", "starting\n", "closed"])
    }

    @Test func `a peer that sends nothing is closed`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        port.loop.advanceTime(by: MetricsPort.requestTimeout - .nanoseconds(1))
        #expect(peer.isOpen)
        port.loop.advanceTime(by: .nanoseconds(1))
        #expect(try peer.answer() == ["closed"])
    }

    @Test func `a peer that sends its request byte by byte gets no more time`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        for byte in Self.healthRequest.prefix(20) {
            try peer.send(String(byte))
            port.loop.advanceTime(by: .milliseconds(100))
        }
        #expect(!peer.isOpen)
    }

    @Test func `a peer that waits for a slow answer is served`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        try peer.send(Self.metricsRequest)
        port.loop.advanceTime(by: MetricsPort.answerTimeout - .seconds(1))
        #expect(peer.isOpen)
        port.answer("up 1\n")
        #expect(try peer.answer() == ["200 OK", "up 1\n", "closed"])
    }

    @Test func `an answer that never comes is not waited for`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        try peer.send(Self.metricsRequest)
        port.loop.advanceTime(by: MetricsPort.answerTimeout)
        #expect(try peer.answer() == ["closed"])
    }

    @Test(arguments: [MetricsPort.maximumBodyBytes, MetricsPort.maximumBodyBytes + 1, 1 << 20])
    func `a body is read up to the limit`(bytes: Int) throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        try peer.send("GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: \(bytes)\r\n\r\n")
        var left = bytes
        while left > 0 && peer.isOpen {
            try peer.send(String(repeating: "x", count: min(left, 1_024)))
            left -= min(left, 1_024)
        }
        #expect(!peer.isOpen)
        let isAnswered = bytes <= MetricsPort.maximumBodyBytes
        #expect(try peer.answer().contains("200 OK") == isAnswered)
    }

    /// A peer can send headers for two seconds: they must not fill the memory.
    @Test func `endless headers are not read`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        try peer.send("GET /healthz HTTP/1.1\r\n")
        var sent = 0
        while peer.isOpen && sent < 10 << 20 {
            // Why try?: the decoder throws into the pipeline, which closes.
            try? peer.send("x-\(sent): " + String(repeating: "x", count: 1_000) + "\r\n")
            sent += 1_000
        }
        #expect(!peer.isOpen)
        #expect(sent < 1 << 20)
    }

    @Test func `a connection that sends no HTTP is closed`() throws {
        let port = EmbeddedMetricsPort()
        let peer = try port.connect()
        // Why try?: the decoder throws into the pipeline, which closes.
        try? peer.send("\u{16}\u{3}\u{1} hello\r\n\r\n")
        #expect(!peer.isOpen)
    }

    // MARK: Many connections

    @Test func `a probe gets in while slow peers hold all connections`() throws {
        let port = EmbeddedMetricsPort()
        let slow = try port.connect(count: MetricsPort.maximumConnections)
        #expect(slow.count(where: { $0.isOpen }) == slow.count)
        let probe = try port.connect()
        try probe.send(Self.healthRequest)
        #expect(try probe.answer() == ["200 OK", "starting\n", "closed"])
        #expect(slow.map(\.isOpen) == [false] + Array(repeating: true, count: slow.count - 1), "the oldest gave way")
    }

    @Test func `many connections take no more than the limit`() throws {
        let port = EmbeddedMetricsPort()
        let earlier = try port.connect(count: 1_000)
        let probe = try port.connect()
        try probe.send(Self.metricsRequest)
        let later = try port.connect(count: 1_000)
        #expect((earlier + later).count(where: { $0.isOpen }) == MetricsPort.maximumConnections - 1)
        port.answer("up 1\n")
        #expect(try probe.answer() == ["200 OK", "up 1\n", "closed"], "who has sent its request does not give way")
    }

    @Test func `the oldest connection gives way if all have sent a request`() throws {
        let port = EmbeddedMetricsPort()
        let waiting = try port.connect(count: MetricsPort.maximumConnections)
        for peer in waiting { try peer.send(Self.metricsRequest) }
        let probe = try port.connect()
        try probe.send(Self.healthRequest)
        #expect(try probe.answer() == ["200 OK", "starting\n", "closed"])
        #expect(waiting.map(\.isOpen) == [false] + Array(repeating: true, count: waiting.count - 1))
    }

    @Test func `a connection that has ended leaves its place`() throws {
        let port = EmbeddedMetricsPort()
        let slow = try port.connect(count: MetricsPort.maximumConnections - 1)
        for _ in 1...100 {
            let probe = try port.connect()
            try probe.send(Self.healthRequest)
            #expect(try probe.answer().first == "200 OK")
        }
        #expect(slow.count(where: { $0.isOpen }) == slow.count)
    }
}
