import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CarillonServer

/// The status that each path of the metrics port answers, while the server starts, runs and ends.
struct MetricsHandlerTests {
    private let health = Health()

    /// Returns the answer to a request: the status and the body.
    private func answer(
        _ path: String, _ method: HTTPMethod = .GET, text: Result<String, any Error> = .success("up 1\n")
    ) throws -> String {
        let channel = EmbeddedChannel()
        let handler = MetricsHandler(health: health, metricsText: { $0.makeCompletedFuture(text) }, onRequest: {})
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "10.0.0.7", port: 80)).wait()
        try channel.writeInbound(
            HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: method, uri: path)))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.embeddedEventLoop.run()
        var words: [String] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head(let head): words.append("\(head.status.code)")
            case .body(.byteBuffer(let bytes)): words.append(String(buffer: bytes))
            case .body, .end: break
            }
        }
        #expect(!channel.isActive, "each connection gets one answer")
        return words.joined(separator: " ")
    }

    /// A phase of the server, and the answers at `/healthz` and `/readyz`.
    struct Phase: CustomTestStringConvertible {
        let phase: Health.Phase
        let health: String
        let readiness: String

        var testDescription: String { "\(phase)" }
    }

    @Test(
        arguments: [
            Phase(phase: .starting, health: "200 starting\n", readiness: "503 starting\n"),
            Phase(phase: .ready, health: "200 ready\n", readiness: "200 ready\n"),
            Phase(phase: .draining, health: "200 draining\n", readiness: "503 draining\n"),
            Phase(phase: .failed, health: "503 failed\n", readiness: "503 failed\n"),
        ])
    func `each phase has its health and readiness`(_ expected: Phase) throws {
        health.phaseEntered(expected.phase)
        #expect(try answer("/healthz") == expected.health)
        #expect(try answer("/readyz") == expected.readiness)
    }

    @Test func `a node that is not ready says why and is alive`() throws {
        health.phaseEntered(.ready)
        health.setReasonNotReady { "the node is behind" }
        #expect(try answer("/readyz") == "503 the node is behind\n")
        #expect(try answer("/healthz") == "200 ready\n")
    }

    /// A load balancer must not take out a server whose pushes wait: it serves its clients.
    @Test func `a warning does not make the server unready`() throws {
        health.phaseEntered(.ready)
        health.setWarnings { ["APNs is out of reach", "FCM refuses the key"] }
        #expect(try answer("/readyz") == "200 ready\nwarning: APNs is out of reach\nwarning: FCM refuses the key\n")
    }

    @Test func `metrics that cannot be read are an error`() throws {
        #expect(try answer("/metrics") == "200 up 1\n")
        #expect(try answer("/metrics", text: .failure(ChannelError.eof)) == "500 the metrics cannot be read\n")
    }

    @Test(arguments: [
        ("/metrics?format=text", HTTPMethod.GET, "200 up 1\n"), ("/metrics", .HEAD, "200"),
        ("/metrics", .POST, "405 only GET\n"), ("/", .GET, "404 /metrics, /healthz or /readyz\n"),
        ("/metricsandmore", .GET, "404 /metrics, /healthz or /readyz\n"),
    ])
    func `only three paths are answered`(path: String, method: HTTPMethod, expected: String) throws {
        #expect(try answer(path, method) == expected)
    }
}
